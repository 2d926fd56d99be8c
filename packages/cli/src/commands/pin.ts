import type { Invocation } from "../frame/invocation.ts";
import { clean } from "../output/clean.ts";
import { checkOnly } from "../steps/check-only.ts";
import { openAccountKit } from "../steps/kits.ts";

/** Adds content that is already on IPFS to the account. */
export async function run(invocation: Invocation): Promise<void> {
  const { output, argument, option, isDryRun } = invocation;
  const kit = await openAccountKit(invocation);
  const cid = argument("cid");
  const name = option("name");
  if (isDryRun) await checkOnly((signal) => kit.pinCid(cid, { fileName: name, signal }));
  else await kit.pinCid(cid, { fileName: name });
  const verb = isDryRun ? "Would pin" : "Pinned";
  output.result(
    { cid, name: name ?? null },
    { text: () => `${verb} ${clean(name ?? "")}${name === undefined ? "" : "  "}${clean(cid)}`, quiet: "" },
  );
}
