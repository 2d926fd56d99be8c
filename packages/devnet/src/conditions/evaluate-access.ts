import type { FindRpcUrl } from "./chain-rpc-urls.ts";
import type { Condition, FileAccess } from "./condition.ts";
import { evaluateEvmCondition } from "./evm.ts";
import { createPlaceholders, type Placeholders, UnknownPlaceholder } from "./placeholders.ts";
import { parseAccess } from "./read-access.ts";
import type { Truth } from "./rule.ts";

/**
 * Returns whether `address` meets a file's conditions. Unknown results (a chain without an RPC, another chain type, a
 * placeholder without a value) grant no access.
 */
export async function meetsConditions(
  access: FileAccess,
  address: string,
  dynamicData: Readonly<Record<string, unknown>>,
  findRpcUrl: FindRpcUrl,
): Promise<boolean> {
  if (access.chainType !== "EVM") return false;
  const { conditions, rule } = parseAccess(access);
  const placeholders = createPlaceholders(address, dynamicData);
  const truths = await Promise.all(
    conditions.map(async (condition) => [condition.id, await evaluate(condition, findRpcUrl, placeholders)] as const),
  );
  const byId = new Map(truths);
  return rule((id) => byId.get(id)) === true;
}

async function evaluate(condition: Condition, findRpcUrl: FindRpcUrl, placeholders: Placeholders): Promise<Truth> {
  const url = findRpcUrl(condition.chain);
  if (url === undefined) return undefined;
  try {
    return await evaluateEvmCondition(condition, url, placeholders);
  } catch (error) {
    if (error instanceof UnknownPlaceholder) return undefined;
    throw error;
  }
}
