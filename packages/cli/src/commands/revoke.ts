import type { Invocation } from "../frame/invocation.ts";
import { carryOut } from "../steps/carry-out.ts";
import { openOwnerKit } from "../steps/kits.ts";

/** Takes back that others may open an encrypted file. */
export async function run(invocation: Invocation): Promise<void> {
  const cid = invocation.argument("cid");
  const addresses = invocation.list("address") as [string, ...string[]];
  await carryOut(invocation, {
    kind: "revoke",
    cid,
    result: { cid, addresses },
    done: `Revoked for ${addresses.join(", ")}`,
    async call(options) {
      const kit = await openOwnerKit(invocation);
      return kit.kavachRevoke(cid, { revokeTo: addresses, ...options });
    },
  });
}
