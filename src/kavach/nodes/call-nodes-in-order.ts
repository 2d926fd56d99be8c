import { wait } from "../../async/abort.ts";
import { KEY_NODE_COUNT } from "../../config/limits.ts";
import { isKeeplightError, type KeeplightError } from "../../errors/base.ts";
import { isSingleNodeFault } from "../../errors/nodes.ts";
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

/** Outcome of calling several nodes; nodes in neither list were not called. */
export interface NodeCalls {
  done: number[];
  failed: FailedNode[];
  /** What ended the calls at a node and is not an error of this kit, such as one that a wallet threw. */
  thrown?: { node: number; error: unknown };
}

interface CallNodesOptions {
  /** Whether the nodes after a failed one are called. */
  afterFailure: "stop" | "continue";
  /** Receives each node that has carried out its request. */
  onDone?: (node: number) => void;
  /** While it returns true, no further node is called, and a request that fails does not count as failed. */
  isHalted?: () => boolean;
}

/**
 * Calls nodes one after another, with a pause in between. Every node has to respond with "success". A failure that
 * would affect every node (an aborted call, a rejected sign-in) always ends it.
 */
export async function callNodesInOrder(
  nodes: KeyNodes,
  auth: NodeAuth,
  numbers: readonly number[],
  requestFor: (node: number) => Omit<NodeRequest, "node">,
  { afterFailure, onDone, isHalted = () => false }: CallNodesOptions,
): Promise<NodeCalls> {
  const done: number[] = [];
  const failed: FailedNode[] = [];
  for (const [index, node] of numbers.entries()) {
    try {
      if (index > 0) await wait(nodes.pauseMs, nodes.call.signal);
      if (isHalted()) break;
      await requestNodeSuccess(nodes, { ...requestFor(node), node }, auth);
    } catch (error) {
      if (isHalted()) break;
      if (!isKeeplightError(error)) return { done, failed, thrown: { node, error } };
      failed.push({ node, error });
      if (afterFailure === "stop" || !isSingleNodeFault(error)) break;
      continue;
    }
    done.push(node);
    onDone?.(node);
  }
  return { done, failed };
}
