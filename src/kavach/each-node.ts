import { KEY_NODE_COUNT } from "../config/limits.ts";
import { KeeplightError } from "../errors/base.ts";
import { wait } from "../input/abort.ts";
import { type KeyNodes, type NodeRequest, orderNode } from "./node-client.ts";
import type { NodeAuth } from "./owner.ts";

/** Where a walk over the nodes ended early. */
export interface Stopped {
  /** The node at which it has to go on. */
  node: number;
  /** Why, unless it was told to. */
  error?: KeeplightError;
}

/**
 * Calls the nodes one after another from `first` to the last, with a pause between two of them, and stops
 * at the first that fails. Every node has to answer "success".
 */
export async function walkNodes(
  nodes: KeyNodes,
  auth: NodeAuth,
  first: number,
  requestFor: (node: number) => Omit<NodeRequest, "node">,
  watch: { onDone?: () => void; halted?: () => boolean } = {},
): Promise<Stopped | undefined> {
  for (let node = first; node <= KEY_NODE_COUNT; node++) {
    try {
      if (node > first) await wait(nodes.pauseMs, nodes.call.signal);
      if (watch.halted?.()) return { node };
      await orderNode(nodes, { ...requestFor(node), node }, auth);
    } catch (error) {
      if (error instanceof KeeplightError) return { node, error };
      throw error;
    }
    watch.onDone?.();
  }
  return undefined;
}

/** 1, 2 … up to the node before `next`. */
export function nodesBefore(next: number): number[] {
  return Array.from({ length: next - 1 }, (_, index) => index + 1);
}
