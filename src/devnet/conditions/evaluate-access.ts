import type { RpcOf } from "./chain-rpc-urls.ts";
import type { Condition, FileAccess } from "./condition.ts";
import { evmHolds } from "./evm.ts";
import { type Placeholders, placeholdersOf, UnknownName } from "./placeholders.ts";
import { parseAccess } from "./read-access.ts";
import type { Truth } from "./rule.ts";

/**
 * Whether `address` meets a file's conditions. What cannot be told (a chain without an RPC, another kind of
 * chain, a name without a value) opens nothing.
 */
export async function meetsConditions(
  access: FileAccess,
  address: string,
  dynamicData: Readonly<Record<string, unknown>>,
  rpcOf: RpcOf,
): Promise<boolean> {
  if (access.chainType !== "EVM") return false;
  const { conditions, rule } = parseAccess(access);
  const placeholders = placeholdersOf(address, dynamicData);
  const truths = await Promise.all(
    conditions.map(async (condition) => [condition.id, await evaluate(condition, rpcOf, placeholders)] as const),
  );
  const byId = new Map(truths);
  return rule((id) => byId.get(id)) === true;
}

async function evaluate(condition: Condition, rpcOf: RpcOf, placeholders: Placeholders): Promise<Truth> {
  const url = rpcOf(condition.chain);
  if (url === undefined) return undefined;
  try {
    return await evmHolds(condition, url, placeholders);
  } catch (error) {
    if (error instanceof UnknownName) return undefined;
    throw error;
  }
}
