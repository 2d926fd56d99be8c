import type { EvmCondition } from "keeplight";
import type { Invocation } from "../frame/invocation.ts";
import { UsageError } from "../frame/usage-error.ts";
import { cleanLines } from "../output/clean.ts";
import { readConditions } from "../steps/conditions-file.ts";

/** Evaluates conditions for an address, before they are set. */
export async function run({ load, argument, options, output, settings, signal }: Invocation): Promise<void> {
  const { simulateConditions } = await load();
  const { conditions, aggregator, chainType } = await readConditions(argument("file"));
  const {
    allowed,
    explanation,
    conditions: results,
  } = await simulateConditions(conditions as EvmCondition[], aggregator, argument("address"), {
    signal,
    rpc: { ...settings.rpc, ...readUrls(options("rpc")) },
    ...(chainType ? { chainType: chainType as "EVM" } : {}),
  });
  output.result(
    { allowed: allowed ?? null, explanation, conditions: results },
    { text: () => cleanLines(explanation), quiet: String(allowed ?? "unknown") },
  );
}

function readUrls(typed: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    typed.map((each) => {
      const at = each.indexOf("=");
      if (at < 1) throw new UsageError("--rpc takes chain=url, such as Polygon=https://polygon-rpc.com");
      return [each.slice(0, at), each.slice(at + 1)];
    }),
  );
}
