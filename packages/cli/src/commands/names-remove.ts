import type { Invocation } from "../frame/invocation.ts";
import { clean } from "../output/clean.ts";
import { requireConsent } from "../steps/consent.ts";
import { openAccountKit } from "../steps/kits.ts";

/** Removes a name. */
export async function run(invocation: Invocation): Promise<void> {
  const { output, argument, isDryRun } = invocation;
  const name = argument("name");
  const kit = await openAccountKit(invocation);
  if (isDryRun) return output.result({ name }, { text: () => `Would remove ${clean(name)}`, quiet: "" });
  await requireConsent(invocation, `Remove ${name}? What it points to can never be changed again.`);
  await kit.ipnsRemoveKey(name);
  output.result({ name }, { text: () => `Removed ${clean(name)}`, quiet: "" });
}
