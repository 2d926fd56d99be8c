import { wait } from "../../base/async/abort.ts";
import { allInOrder, type Semaphore } from "../../base/async/queue.ts";
import { KEY_NODE_COUNT } from "../../base/config/limits.ts";
import { isKeeplightError, type KeeplightError } from "../../base/errors/base.ts";
import type { NodeFailure } from "../../base/errors/details/input-and-requests.ts";
import { isSingleNodeFault } from "../../base/errors/nodes.ts";
import { aborted } from "../../base/errors/transport.ts";
import { type KeyNodes, type NodeAuth, type NodeRequest, requestNodeSuccess } from "./node-client.ts";

/** The numbers of all key nodes. */
export const ALL_NODES: readonly number[] = Array.from({ length: KEY_NODE_COUNT }, (_, index) => index + 1);

/** An item per key node, in their order. */
export type PerNode<Item> = [Item, Item, Item, Item, Item];

/** A node that did not carry out its request. */
export interface FailedNode {
  node: number;
  error: KeeplightError;
}

export function toNodeFailure({ node, error }: FailedNode): NodeFailure {
  return { node, code: error.code, message: error.message };
}

/** Outcome of calling several nodes, in their order; what ended the calls left those in neither list as they were. */
export interface NodeCalls {
  done: number[];
  /** What is not an error of this kit, such as one that a wallet threw, is the cause of an aborted call. */
  failed: FailedNode[];
}

/** When calling nodes succeeds, and when it ends. */
export interface CallRule {
  /** Whether nodes are called after one has failed. */
  afterFailure: "stop" | "continue";
  /** How many nodes make a success. */
  enough: number;
}

interface CallNodesOptions extends Pick<CallRule, "afterFailure"> {
  /** Receives each node that has carried out its request. Must not throw. */
  onDone?: (node: number) => void;
  /**
   * Ends the calls, with the failure as its reason: once it has fired, no further request is sent. Calls for several files
   * may share it, so that one which ends ends all. Requests in flight are not aborted.
   */
  halt?: AbortController;
}

/** A request that was not sent, as the calls had ended. */
const NOT_SENT = new Error("not sent");

/**
 * Calls nodes by the pacing of the call: one after another with a pause in between, or all at once. Every node has to
 * respond with "success". A failure that would affect every node (an aborted call, a rejected sign-in) always ends the
 * calls: nothing more is sent. Resolves when no request is in flight any more.
 */
export async function callNodes(
  nodes: KeyNodes,
  auth: NodeAuth,
  numbers: readonly number[],
  requestFor: (node: number) => Omit<NodeRequest, "node">,
  { afterFailure, onDone, halt = new AbortController() }: CallNodesOptions,
): Promise<NodeCalls> {
  const calls: NodeCalls = { done: [], failed: [] };
  let affectsAll = false;
  const isOver = () => halt.signal.aborted;
  // Nor is a request that waits for its turn, or to be repeated, when the calls end.
  const inFlight: Semaphore = (task, signal) =>
    nodes.inFlight(() => (isOver() ? Promise.reject(NOT_SENT) : task()), signal);
  const unlessOver = { ...nodes, inFlight };
  const shared = shareSignIn(nodes, auth);

  function fail(node: number, error: unknown): void {
    if (error === NOT_SENT) return;
    const isNodes = isKeeplightError(error) && isSingleNodeFault(error);
    // Once is enough for what every node reports.
    if (affectsAll && !isNodes) return;
    calls.failed.push({ node, error: isKeeplightError(error) ? error : aborted(error) });
    affectsAll ||= !isNodes;
    if (!isNodes || afterFailure === "stop") halt.abort(error);
  }

  async function call(node: number, pauseMs?: number): Promise<void> {
    if (isOver()) return;
    try {
      if (pauseMs !== undefined) await wait(pauseMs, nodes.call.signal);
      if (isOver()) return;
      await requestNodeSuccess(unlessOver, { ...requestFor(node), node }, shared);
    } catch (error) {
      return fail(node, error);
    }
    calls.done.push(node);
    onDone?.(node);
  }

  if (nodes.pacing === "parallel") await allInOrder(numbers.map((node) => call(node)));
  else for (const [index, node] of numbers.entries()) await call(node, index > 0 ? nodes.pauseMs : undefined);
  calls.done.sort((a, b) => a - b);
  calls.failed.sort((a, b) => a.node - b.node);
  return calls;
}

/**
 * Runs `work` for each node by the pacing of the call, one after another with a pause in between or all at once, and
 * returns the results in the order of the nodes.
 *
 * @throws `ABORTED`; what `work` throws, once nothing is running any more
 */
export async function mapNodes<T>(
  nodes: KeyNodes,
  numbers: readonly number[],
  work: (node: number) => Promise<T>,
): Promise<T[]> {
  if (nodes.pacing === "parallel") return allInOrder(numbers.map(work));
  const results: T[] = [];
  for (const node of numbers) {
    if (results.length > 0) await wait(nodes.pauseMs, nodes.call.signal);
    results.push(await work(node));
  }
  return results;
}

/**
 * Authorizes requests to several nodes at once like one: a single token, and a single renewal once a node refuses it, so
 * that a wallet is not asked again for each node. Nodes that are called one after another get the current token each.
 */
export function shareSignIn({ pacing }: KeyNodes, auth: NodeAuth): NodeAuth {
  if (pacing === "sequential") return auth;
  let token: Promise<string> | undefined;
  let renewed: Promise<string | undefined> | undefined;
  return {
    address: auth.address,
    token: () => (token ??= auth.token()),
    renew: (stale) => (renewed ??= auth.renew(stale)),
  };
}
