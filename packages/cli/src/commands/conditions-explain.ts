import type { EvmCondition } from "keeplight";
import type { Invocation } from "../frame/invocation.ts";
import { cleanLines } from "../output/clean.ts";
import { readConditions } from "../steps/conditions-file.ts";

/** Explains conditions in plain English. */
export async function run({ load, argument, output }: Invocation): Promise<void> {
  const { explainConditions } = await load();
  const { conditions, aggregator, chainType } = await readConditions(argument("file"));
  // The package finds out what they are.
  const options = { chainType: chainType as "EVM" | undefined };
  const explanation = explainConditions(conditions as EvmCondition[], aggregator, chainType ? options : {});
  output.result({ explanation }, { text: () => cleanLines(explanation), quiet: cleanLines(explanation) });
}
