import type { Invocation } from "../frame/invocation.ts";
import { carryOut } from "../steps/carry-out.ts";
import { requireEnding } from "../steps/consent.ts";
import { openOwnerKit } from "../steps/kits.ts";

/** Makes another address the owner of an encrypted file. */
export async function run(invocation: Invocation): Promise<void> {
  const cid = invocation.argument("cid");
  const owner = invocation.argument("address");
  if (!invocation.isDryRun) await requireEnding(invocation, owner);
  await carryOut(invocation, {
    kind: "transfer",
    cid,
    result: { cid, owner },
    done: `Transferred to ${owner}`,
    async call(options) {
      const kit = await openOwnerKit(invocation);
      const resetSharedTo = !invocation.flag("keepShares");
      return kit.kavachTransferOwnership(cid, { newOwner: owner, resetSharedTo, ...options });
    },
  });
}
