import type { Invocation } from "../frame/invocation.ts";
import { UsageError } from "../frame/usage-error.ts";
import { carryOut } from "../steps/carry-out.ts";
import { requireConsent } from "../steps/consent.ts";
import { openOwnerKit } from "../steps/kits.ts";

/** Sets who may open all encrypted files of the account. */
export async function run(invocation: Invocation): Promise<void> {
  const { list, flag, isDryRun } = invocation;
  const delegates = list("address");
  const revokes = flag("revoke");
  if (revokes && delegates.length > 0) throw new UsageError("--revoke takes no address: it leaves no delegates");
  if (!revokes && delegates.length === 0) throw new UsageError("Name at least one address, or set --revoke");
  const who = delegates.join(", ");
  if (!revokes && !isDryRun) {
    const question = `Let ${who} open ALL of your encrypted files, also later ones? Nobody else stays a delegate.`;
    await requireConsent(invocation, question);
  }
  await carryOut(invocation, {
    kind: "delegate",
    result: { delegates },
    done: revokes ? "Revoked all delegates" : `Delegated all encrypted files to ${who}`,
    async call(options) {
      const kit = await openOwnerKit(invocation);
      return kit.kavachSetDelegates(delegates as [] | [string, ...string[]], options);
    },
  });
}
