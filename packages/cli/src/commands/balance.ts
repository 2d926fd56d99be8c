import type { Invocation } from "../frame/invocation.ts";
import { formatBytes } from "../output/format.ts";
import { formatFacts } from "../output/table.ts";
import { openAccountKit } from "../steps/kits.ts";

/** Shows how much the account may store and has stored. */
export async function run(invocation: Invocation): Promise<void> {
  const kit = await openAccountKit(invocation);
  const { dataLimit, dataUsed } = await kit.getBalance();
  const dataLeft = dataLimit - dataUsed;
  const facts: [string, string][] = [
    ["Limit", formatBytes(dataLimit)],
    ["Used", formatBytes(dataUsed)],
    ["Left", formatBytes(dataLeft)],
  ];
  invocation.output.result(
    { dataLimit, dataUsed, dataLeft },
    { text: () => formatFacts(facts), quiet: String(dataLeft) },
  );
}
