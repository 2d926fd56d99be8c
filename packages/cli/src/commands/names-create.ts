import type { Invocation } from "../frame/invocation.ts";
import { clean } from "../output/clean.ts";
import { openAccountKit } from "../steps/kits.ts";

/** Creates a name. */
export async function run(invocation: Invocation): Promise<void> {
  const { output, isDryRun } = invocation;
  const kit = await openAccountKit(invocation);
  if (isDryRun) return output.result({}, { text: () => "Would create a name", quiet: "" });
  const { ipnsName: name, ipnsId: ipns } = await kit.ipnsGenerateKey();
  output.result({ name, ipns }, { text: () => `${clean(name)}  ${clean(ipns)}`, quiet: clean(name) });
}
