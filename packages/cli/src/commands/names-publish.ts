import type { Invocation } from "../frame/invocation.ts";
import { clean } from "../output/clean.ts";
import { checkOnly } from "../steps/check-only.ts";
import { openAccountKit } from "../steps/kits.ts";

/** Points a name to a content id. */
export async function run(invocation: Invocation): Promise<void> {
  const { output, argument, isDryRun } = invocation;
  const kit = await openAccountKit(invocation);
  const name = argument("name");
  const cid = argument("cid");
  if (isDryRun) {
    await checkOnly((signal) => kit.ipnsPublishRecord({ cid, keyName: name, signal }));
    return output.result({ name, cid }, { text: () => `Would point ${clean(name)} to ${clean(cid)}`, quiet: "" });
  }
  const { Name: ipns } = await kit.ipnsPublishRecord({ cid, keyName: name });
  output.result({ name, ipns, cid }, { text: () => `${clean(ipns)} points to ${clean(cid)}`, quiet: clean(ipns) });
}
