import type { CompletedNodes, Journal } from "keeplight";
import { UsageError } from "../frame/failure.ts";
import type { Invocation, JournaledWork } from "../frame/invocation.ts";
import { checkOnly, openOwnerKit, requireConsent, requireEnding } from "../steps/authority.ts";
import { type ConditionsOfFile, readConditions } from "../steps/inputs.ts";

export async function runShare(invocation: Invocation): Promise<void> {
  const cid = invocation.argument("cid");
  const addresses = listAddresses(invocation);
  await carryOut(invocation, {
    kind: "share",
    cid,
    result: { cid, addresses },
    done: `Shared with ${addresses.join(", ")}`,
    call: (kit, options) => kit.kavachShare(cid, { shareTo: addresses, ...options }),
  });
}

export async function runRevoke(invocation: Invocation): Promise<void> {
  const cid = invocation.argument("cid");
  const addresses = listAddresses(invocation);
  await carryOut(invocation, {
    kind: "revoke",
    cid,
    result: { cid, addresses },
    done: `Revoked for ${addresses.join(", ")}`,
    call: (kit, options) => kit.kavachRevoke(cid, { revokeTo: addresses, ...options }),
  });
}

const listAddresses = ({ list }: Invocation) => list("address") as [string, ...string[]];

export async function runTransfer(invocation: Invocation): Promise<void> {
  const { argument, flag, isDryRun } = invocation;
  const cid = argument("cid");
  const owner = argument("address");
  if (!isDryRun) await requireEnding(invocation, owner);
  const change = { newOwner: owner, resetSharedTo: !flag("keepShares") };
  await carryOut(invocation, {
    kind: "transfer",
    cid,
    result: { cid, owner },
    done: `Transferred to ${owner}`,
    call: (kit, options) => kit.kavachTransferOwnership(cid, { ...change, ...options }),
  });
}

export async function runDelegate(invocation: Invocation): Promise<void> {
  const { list, flag, isDryRun } = invocation;
  const delegates = list("address") as [] | [string, ...string[]];
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
    call: (kit, options) => kit.kavachSetDelegates(delegates, options),
  });
}

export async function runConditionsExplain(invocation: Invocation): Promise<void> {
  const explanation = await explain(invocation, await readConditions(invocation.argument("file")));
  invocation.output.result({ explanation }, explanation, explanation);
}

async function explain({ load }: Invocation, { conditions, aggregator, chainType }: ConditionsOfFile) {
  const { explainConditions } = await load();
  return explainConditions(conditions, aggregator, chainType ? { chainType } : {});
}

export async function runConditionsTry(invocation: Invocation): Promise<void> {
  const { load, argument, options, output, settings, signal } = invocation;
  const { simulateConditions } = await load();
  const { conditions, aggregator, chainType } = await readConditions(argument("file"));
  const rpc = { ...settings.rpc, ...readUrls(options("rpc")) };
  const call = { signal, rpc, ...(chainType ? { chainType } : {}) };
  const simulation = await simulateConditions(conditions, aggregator, argument("address"), call);
  const { allowed, explanation, conditions: results } = simulation;
  const result = { allowed: allowed ?? null, explanation, conditions: results };
  output.result(result, explanation, String(allowed ?? "unknown"));
}

function readUrls(typed: readonly string[]): Record<string, string> {
  const urls = typed.map((each) => {
    const at = each.indexOf("=");
    if (at < 1) throw new UsageError("--rpc takes chain=url, such as Polygon=https://polygon-rpc.com");
    return [each.slice(0, at), each.slice(at + 1)];
  });
  return Object.fromEntries(urls);
}

export async function runConditionsSet(invocation: Invocation): Promise<void> {
  const cid = invocation.argument("cid");
  const rule = await readConditions(invocation.argument("file"));
  const explanation = await explain(invocation, rule);
  invocation.output.note(explanation);
  await carryOut(invocation, {
    kind: "conditions",
    cid,
    result: { cid, explanation },
    done: "Conditions set",
    call: (kit, options) => kit.kavachSetAccessConditions(cid, { ...rule, ...options }),
  });
}

/** A change that every key node carries out. */
interface NodeChange {
  kind: JournaledWork["kind"];
  /** Absent if it is about all files. */
  cid?: string | undefined;
  /** What is printed besides the nodes. */
  result: object;
  /** What was done, for people. */
  done: string;
  call(
    kit: Awaited<ReturnType<typeof openOwnerKit>>,
    options: { journal?: Journal; signal?: AbortSignal },
  ): Promise<CompletedNodes>;
}

/** Carries out a change with the journal, or reports what it would be. */
async function carryOut(invocation: Invocation, { kind, cid, result, done, call }: NodeChange): Promise<void> {
  const { output, isDryRun } = invocation;
  // Before a dry run, too: it finds out that nothing could sign.
  const kit = await openOwnerKit(invocation);
  if (isDryRun) {
    await checkOnly((signal) => call(kit, { signal }));
    return output.result({ ...result, nodes: [] }, `Not done (--dry-run): ${done}`);
  }
  const { nodes } = await call(kit, { journal: await invocation.journal({ kind, subject: cid }) });
  output.result({ ...result, nodes }, `${done} on key nodes ${nodes.join(", ")}`);
}
