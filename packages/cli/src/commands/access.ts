import type { CompletedNodes, EvmCondition, Journal } from "keeplight";
import { UsageError } from "../frame/failure.ts";
import type { Invocation, JournaledWork } from "../frame/invocation.ts";
import { cleanLines } from "../output/format.ts";
import { checkOnly, openOwnerKit, requireConsent, requireEnding } from "../steps/authority.ts";
import { readConditions } from "../steps/inputs.ts";

/** Lets others open an encrypted file. */
export async function runShare(invocation: Invocation): Promise<void> {
  const cid = invocation.argument("cid");
  const addresses = invocation.list("address") as [string, ...string[]];
  await carryOut(invocation, {
    kind: "share",
    cid,
    result: { cid, addresses },
    done: `Shared with ${addresses.join(", ")}`,
    async call(options) {
      const kit = await openOwnerKit(invocation);
      return kit.kavachShare(cid, { shareTo: addresses, ...options });
    },
  });
}

/** Takes back that others may open an encrypted file. */
export async function runRevoke(invocation: Invocation): Promise<void> {
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

/** Makes another address the owner of an encrypted file. */
export async function runTransfer(invocation: Invocation): Promise<void> {
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

/** Sets who may open all encrypted files of the account. */
export async function runDelegate(invocation: Invocation): Promise<void> {
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

/** Explains conditions in plain English. */
export async function runConditionsExplain({ load, argument, output }: Invocation): Promise<void> {
  const { explainConditions } = await load();
  const { conditions, aggregator, chainType } = await readConditions(argument("file"));
  // The package finds out what they are.
  const options = { chainType: chainType as "EVM" | undefined };
  const explanation = explainConditions(conditions as EvmCondition[], aggregator, chainType ? options : {});
  output.result({ explanation }, { text: () => cleanLines(explanation), quiet: cleanLines(explanation) });
}

/** Evaluates conditions for an address, before they are set. */
export async function runConditionsTry({
  load,
  argument,
  options,
  output,
  settings,
  signal,
}: Invocation): Promise<void> {
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

/** Sets the conditions by which others may open a file. */
export async function runConditionsSet(invocation: Invocation): Promise<void> {
  const { load, argument, output } = invocation;
  const cid = argument("cid");
  const rule = await readConditions(argument("file"));
  const { explainConditions } = await load();
  const { conditions, aggregator, chainType } = rule;
  const options = chainType ? { chainType: chainType as "EVM" } : {};
  const explanation = explainConditions(conditions as EvmCondition[], aggregator, options);
  output.note(explanation);
  await carryOut(invocation, {
    kind: "conditions",
    cid,
    result: { cid, explanation },
    done: "Conditions set",
    async call(options) {
      const kit = await openOwnerKit(invocation);
      return kit.kavachSetAccessConditions(cid, { ...rule, ...options });
    },
  });
}

/** A change that every key node carries out. */
interface NodeChange {
  kind: JournaledWork["kind"];
  /** Absent if it is about all files. */
  cid?: string;
  /** What is printed besides the nodes. */
  result: object;
  /** What was done, for people. */
  done: string;
  call(options: { journal?: Journal; signal?: AbortSignal }): Promise<CompletedNodes>;
}

/** Carries out a change with the journal, or reports what it would be. */
export async function carryOut(invocation: Invocation, { kind, cid, result, done, call }: NodeChange): Promise<void> {
  const { output, isDryRun, account } = invocation;
  if (isDryRun) {
    // So that a dry run finds out that nothing could sign.
    await account.signer();
    await checkOnly((signal) => call({ signal }));
    output.result({ ...result, nodes: [] }, { text: () => `Not done (--dry-run): ${done}`, quiet: "" });
    return;
  }
  const journal = await invocation.journal(cid === undefined ? { kind } : { kind, subject: cid });
  const { nodes } = await call({ journal });
  output.result({ ...result, nodes }, { text: () => `${done} on key nodes ${nodes.join(", ")}`, quiet: "" });
}
