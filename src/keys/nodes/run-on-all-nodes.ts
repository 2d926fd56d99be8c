import { isKeeplightError, KeeplightError } from "../../base/errors/base.ts";
import { isSingleNodeFault } from "../../base/errors/nodes.ts";
import { aborted } from "../../base/errors/transport.ts";
import { UnfinishedError } from "../../base/errors/unfinished.ts";
import { type Operation, omitOptions, type Resolved, resolveOptions } from "../../base/operation.ts";
import type { Optional } from "../../base/options.ts";
import { checkCid } from "../../formats/cid/content-id.ts";
import type { JournalLike } from "../../journal/handle.ts";
import {
  mergeResolved,
  type OwnerChangeOptions,
  ownerChangeSchema,
  queueOwnerCall,
  type ResolvedOwnerChange,
  resolveOwner,
} from "../auth/owner.ts";
import type { CallKind, EarlierEntry, OwnerCallState } from "./call-entry.ts";
import { ALL_NODES, type CallRule, callNodes, type FailedNode, type NodeCalls, toNodeFailure } from "./call-nodes.ts";
import { type Place, refuseSuperseded, takePlace } from "./later-calls.ts";
import { type KeyNodes, type NodeAuth, type NodeRequest, openKeyNodes } from "./node-client.ts";

/** Outcome of a call to all five nodes. */
export interface CompletedNodes {
  /** Numbers of the nodes that have carried out the call: all five, unless `nodesMissing` lists the others. */
  nodes: number[];
  /** With `saveOn: "enough"`, the nodes that have no shard yet; absent if there are none. */
  nodesMissing?: number[];
}

/** A public call by which an owner changes something on all nodes, and which a journal can continue. */
export interface OwnerOperation<Options> extends Operation<Options> {
  /** Checks what a journal stores of it, if that has more than the options: the subject. */
  stored?: object;
  /**
   * Makes the call with its resolved options.
   *
   * @param entry - of the journal, if the call continues one
   */
  run(cid: string, options: object, entry?: EarlierEntry): Promise<unknown>;
}

/**
 * Defines an owner's call by what it requests from the nodes.
 *
 * @param schema - what a journal stores of it has to pass its checks
 * @param plan - throws before anything is sent if the options do not go together
 */
export function defineOwnerCall<Schema extends object>(
  kind: CallKind,
  schema: Schema,
  plan: (cid: string, options: Resolved<Schema>) => Omit<NodeOperation, "kind" | "cid"> & { cid?: undefined },
) {
  type Options = Resolved<Schema> & ResolvedOwnerChange;
  const run = async (cid: string, options: Options, entry?: EarlierEntry) =>
    runOnAllNodes({ kind, cid, ...plan(cid, options) }, options, { entry });
  return {
    options: schema,
    run,
    /** Makes the call with options that are not checked yet. */
    call: async (cid: string, options: object) => run(checkCid(cid), resolveOptions(schema, options) as Options),
  };
}

/** An operation on one file, or on all files of an owner. The nodes after a failed one are called, and all have to carry it out. */
interface NodeOperation extends Partial<CallRule> {
  kind: CallKind;
  /** `undefined` for all files. */
  cid: string | undefined;
  /** Builds the path and body for one node from the owner's address. */
  request(node: number, address: string): Omit<NodeRequest, "node">;
  /** Finds the nodes that refused because they have nothing left to do. An error it throws replaces theirs. */
  findSettled?(calls: RefusedCalls): Promise<readonly number[]>;
  /** Whether somebody has undone what an interrupted call did, so that the rest must not be done either. */
  isUndone?(calls: InterruptedCalls): Promise<boolean>;
}

/** A call that was interrupted. */
export interface InterruptedCalls {
  nodes: KeyNodes;
  auth: NodeAuth;
  /** The nodes that have carried it out, now or before. */
  done: readonly number[];
}

/** Calls of which some were refused. */
export interface RefusedCalls extends InterruptedCalls {
  refused: readonly number[];
  /** The nodes that carried out this call, not one that it resumes. */
  doneNow: readonly number[];
}

/** What earlier calls of the same operation have done. */
interface EarlierCalls {
  done?: readonly number[];
  /** That they left open in the journal. */
  entry?: EarlierEntry | undefined;
  /** Of the first of them. */
  place?: Place;
}

/** Outcome of calling nodes, and the id of the entry that is left open in the journal. */
interface NodeCallsOfEntry extends NodeCalls {
  entry?: string | undefined;
}

/**
 * Carries out an operation on all five nodes as the owner, after every owner call on the same file that was made
 * before it. A call whose wallet never responds holds up the later calls until it is aborted.
 *
 * @throws an {@link UnfinishedError} with the code and message of the first node that failed; `details.nodesDone` and
 * `details.failures` list all nodes that were called, and its `resume()` calls those that are not done
 */
async function runOnAllNodes(
  operation: NodeOperation,
  options: ResolvedOwnerChange,
  { done: doneBefore = [], entry, place = takePlace() }: EarlierCalls = {},
): Promise<CompletedNodes> {
  const { cid, enough = ALL_NODES.length } = operation;
  const nodes = openKeyNodes(options);
  const owner = resolveOwner(options, nodes);
  // Queued before the owner is known: a slow wallet must not change the order of the calls.
  const queuedCalls = queueOwnerCall(nodes, cid, async () =>
    callWithEntry(operation, nodes, await owner, options, { done: doneBefore, entry, place }),
  );
  const todo = except(ALL_NODES, doneBefore);
  // An owner that cannot be resolved fails at once, not only when its turn starts.
  const [, calls] = await Promise.all([owner, queuedCalls.catch((error) => toAbortedCalls(error, todo, entry))]);

  const done = ALL_NODES.filter((node) => doneBefore.includes(node) || calls.done.includes(node));
  const { failed } = calls;
  const first = failed.find(endsCall) ?? failed[0];
  if (!first) return { nodes: done };
  if (done.length >= enough && !endsCall(first)) return { nodes: done, nodesMissing: except(ALL_NODES, done) };
  throw new UnfinishedError<CompletedNodes, Optional<OwnerChangeOptions>>(first.error.code, first.error.message, {
    details: { ...first.error.details, node: first.node, nodesDone: done, failures: failed.map(toNodeFailure) },
    cause: first.error,
    operationId: calls.entry,
    resume: async (changed) =>
      runOnAllNodes(operation, mergeResolved(ownerChangeSchema, options, changed), { done, entry: calls.entry, place }),
  });
}

/** Calls the nodes that are not done; with a journal, as an operation that stays open if it is half done. */
async function callWithEntry(
  operation: NodeOperation,
  nodes: KeyNodes,
  auth: NodeAuth,
  options: ResolvedOwnerChange,
  before: Required<EarlierCalls>,
): Promise<NodeCallsOfEntry> {
  const { kind, cid, enough = ALL_NODES.length } = operation;
  // What the options say besides who calls, and how.
  const parameters = { ...omitOptions(options, ownerChangeSchema), endpoints: nodes.call.endpoints };
  const call = { owner: auth.address, cid, parameters, nodesDone: before.done };
  const entry = await startEntry(options.journal, kind, call, before.entry);
  if (!entry) await refuseSuperseded({ kind, state: call }, before.place);
  // One that the journal continues was made before all calls of this process.
  if (!before.entry) before.place.call = { kind, state: call };
  if (!entry) return callMissingNodes(operation, nodes, auth, before.done, () => undefined);
  const doneBefore = ALL_NODES.filter((node) => before.done.includes(node) || entry.state.nodesDone.includes(node));
  const onDone = (node: number) => entry.note({ nodesDone: [...entry.state.nodesDone, node] });
  try {
    if (doneBefore.length > 0 && (await operation.isUndone?.({ nodes, auth, done: doneBefore }))) {
      await entry.complete();
      const { id } = entry;
      const message = `What the operation ${id} did before it was interrupted is undone: it is no longer open, call again to repeat it`;
      throw new KeeplightError("OPERATION_UNDONE", message, { details: { id } });
    }
    const calls = await callMissingNodes(operation, nodes, auth, doneBefore, onDone);
    const done = [...doneBefore, ...calls.done];
    const isDone = done.length >= enough && !calls.failed.some(endsCall);
    // A call that every node has denied is not half done.
    const isDenied = calls.failed.filter(({ error }) => isDenial(error)).length === ALL_NODES.length;
    if (isDone || isDenied) await entry.complete();
    // With those that refused because nothing is left to do: they are not to be called again.
    else entry.note({ nodesDone: done });
    return { done, failed: calls.failed, entry: isDone || isDenied ? undefined : entry.id };
  } finally {
    await entry.release();
  }
}

/** Starts the entry of an owner call, or continues an earlier one, if there is a journal; see `openCallEntry`. */
export async function startEntry(
  journal: JournalLike | undefined,
  kind: CallKind,
  call: OwnerCallState,
  earlier: EarlierEntry | undefined,
) {
  if (journal === undefined) return undefined;
  const { openCallEntry } = await import("./call-entry.ts");
  return openCallEntry(journal, kind, call, earlier);
}

/** Calls the nodes that are not done, and counts those as done that refused because nothing is left to do. */
async function callMissingNodes(
  operation: NodeOperation,
  nodes: KeyNodes,
  auth: NodeAuth,
  doneBefore: readonly number[],
  onDone: (node: number) => void,
): Promise<NodeCalls> {
  const { afterFailure = "continue" } = operation;
  const requestFor = (node: number) => operation.request(node, auth.address);
  const todo = except(ALL_NODES, doneBefore);
  const calls = await callNodes(nodes, auth, todo, requestFor, { afterFailure, onDone });
  const { done: doneNow, failed } = calls;
  const refused = failed.filter(({ error }) => isDenial(error)).map(({ node }) => node);
  if (!operation.findSettled || refused.length === 0 || failed.some(endsCall)) return calls;
  try {
    const done = [...doneBefore, ...doneNow];
    const settled = await operation.findSettled({ nodes, auth, refused, doneNow, done });
    return { done: [...doneNow, ...settled], failed: failed.filter(({ node }) => !settled.includes(node)) };
  } catch (thrown) {
    const error = isKeeplightError(thrown) ? thrown : aborted(thrown);
    return { done: doneNow, failed: failed.map((one) => (refused.includes(one.node) ? { ...one, error } : one)) };
  }
}

/** Reports an abort before the first request as an aborted call to the first node. */
function toAbortedCalls(error: unknown, [node]: readonly number[], entry: EarlierEntry | undefined): NodeCallsOfEntry {
  if (!isKeeplightError(error) || error.code !== "ABORTED" || node === undefined) throw error;
  return { done: [], failed: [{ node, error }], entry: typeof entry === "object" ? entry.id : entry };
}

/** Whether a failure is one of the call, not of a node: it is the one to report. */
export function endsCall({ error }: FailedNode): boolean {
  return !isSingleNodeFault(error);
}

const NOT_ABOUT_THE_FILE = new Set([408, 425, 429]);

/** Whether a node denies the caller the file: a well-formed refusal that is not about the token or the node's load. */
export function isDenial({ code, details }: KeeplightError): boolean {
  const status = Number(details["status"]);
  const refuses = code === "NODE_REFUSED" && status >= 400 && status < 500;
  return refuses && !NOT_ABOUT_THE_FILE.has(status) && details["reason"] !== "signature";
}

function except(all: readonly number[], some: readonly number[]): number[] {
  return all.filter((node) => !some.includes(node));
}
