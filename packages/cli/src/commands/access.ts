import type { CompletedNodes, Journal } from "keeplight";
import { UsageError } from "../frame/failure.ts";
import type { Invocation, JournaledWork } from "../frame/invocation.ts";
import { checkOnly, openOwnerKit, requireConsent, requireEnding } from "../steps/authority.ts";
import { type ConditionsOfFile, readConditions } from "../steps/inputs.ts";

export async function share(invocation: Invocation): Promise<void> {
  const addresses = listAddresses(invocation);
  await carryOut(invocation, {
    kind: "share",
    result: { addresses },
    done: `Shared with ${addresses.join(", ")}`,
    call: (kit, cid, options) => kit.kavachShare(cid, { shareTo: addresses, ...options }),
  });
}

export async function revoke(invocation: Invocation): Promise<void> {
  const addresses = listAddresses(invocation);
  await carryOut(invocation, {
    kind: "revoke",
    result: { addresses },
    done: `Revoked for ${addresses.join(", ")}`,
    call: (kit, cid, options) => kit.kavachRevoke(cid, { revokeTo: addresses, ...options }),
  });
}

const loadConditions = () => import("@keeplight/conditions");

const listAddresses = ({ list }: Invocation) => list("address") as [string, ...string[]];

export async function transfer(invocation: Invocation): Promise<void> {
  const owner = invocation.argument("address");
  if (!invocation.isDryRun) await requireEnding(invocation, owner);
  const change = { newOwner: owner, resetSharedTo: !invocation.flag("keepShares") };
  await carryOut(invocation, {
    kind: "transfer",
    result: { owner },
    done: `Transferred to ${owner}`,
    call: (kit, cid, options) => kit.kavachTransferOwnership(cid, { ...change, ...options }),
  });
}

export async function delegate(invocation: Invocation): Promise<void> {
  const { list, flag, isDryRun } = invocation;
  const delegates = list("address") as [] | [string, ...string[]];
  const revokes = flag("revoke");
  if (revokes && delegates.length > 0) throw new UsageError("--revoke takes no address: it leaves no delegates");
  if (!revokes && delegates.length === 0) throw new UsageError("Name at least one address, or set --revoke");
  const who = delegates.join(", ");
  // Another account's files are never opened to anyone by mistake.
  const owner = await (await invocation.account.ownSigner()).getAddress();
  if (!revokes && !isDryRun) {
    const question = `Let ${who} open ALL encrypted files of ${owner}, also later ones? Nobody else stays a delegate.`;
    await requireConsent(invocation, question);
  }
  await carryOut(invocation, {
    kind: "delegate",
    result: { delegates },
    done: revokes ? `Revoked all delegates of ${owner}` : `Delegated all encrypted files of ${owner} to ${who}`,
    call: (kit, _, options) => kit.kavachSetDelegates(delegates, options),
  });
}

export async function conditionsExplain(invocation: Invocation): Promise<void> {
  const explanation = await explain(await readConditions(invocation.argument("file")));
  invocation.output.result({ explanation }, explanation, explanation);
}

async function explain({ conditions, aggregator, chainType }: ConditionsOfFile) {
  const { explainConditions } = await loadConditions();
  return explainConditions(conditions, aggregator, chainType ? { chainType } : {});
}

export async function conditionsTry(invocation: Invocation): Promise<void> {
  const { argument, options, output, settings, signal } = invocation;
  const { simulateConditions } = await loadConditions();
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

export async function conditionsSet(invocation: Invocation): Promise<void> {
  const rule = await readConditions(invocation.argument("file"));
  const explanation = await explain(rule);
  invocation.output.note(explanation);
  await carryOut(invocation, {
    kind: "conditions",
    result: { explanation },
    done: "Conditions set",
    call: (kit, cid, options) => kit.kavachSetAccessConditions(cid, { ...rule, ...options }),
  });
}

/** A change that every key node carries out. */
interface NodeChange {
  kind: JournaledWork["kind"];
  /** What is printed besides the content id and the nodes. */
  result: object;
  /** What was done, for people. */
  done: string;
  call(
    kit: Awaited<ReturnType<typeof openOwnerKit>>,
    cid: string,
    options: { journal?: Journal; signal?: AbortSignal },
  ): Promise<CompletedNodes>;
}

/** Carries out a change with the journal, or reports what it would be. */
async function carryOut(invocation: Invocation, { kind, result, done, call }: NodeChange): Promise<void> {
  const { output, isDryRun, list } = invocation;
  // There is none if it is about all files.
  const [cid] = list("cid");
  // Before a dry run, too: it finds out that nothing could sign.
  const kit = await openOwnerKit(invocation);
  if (isDryRun) {
    await checkOnly((signal) => call(kit, cid ?? "", { signal }));
    return output.result({ cid, ...result, nodes: [] }, `Not done (--dry-run): ${done}`);
  }
  const { nodes } = await call(kit, cid ?? "", { journal: await invocation.journal({ kind, subject: cid }) });
  output.result({ cid, ...result, nodes }, `${done} on key nodes ${nodes.join(", ")}`);
}
