import { KEY_NODE_COUNT } from "../config/limits.ts";
import { UnfinishedError } from "../errors/unfinished.ts";
import { checkOptions } from "../input/check-options.ts";
import { nodesBefore, walkNodes } from "./each-node.ts";
import { type KeyNodeOptions, keyNodeOptionNames, type NodeRequest, resolveKeyNodes } from "./node-client.ts";
import { type OwnerOptions, ownerOptionNames, resolveOwner } from "./owner.ts";

/** Options of calls that an owner makes to all five key nodes. */
export type OwnerCallOptions = KeyNodeOptions & OwnerOptions;

export const ownerCallNames = [keyNodeOptionNames, ownerOptionNames] as const;

/** What a call to all five nodes did. */
export interface NodesDone {
  /** Numbers of the nodes that have done it: all five. */
  nodes: number[];
}

/** One operation that every node has to carry out. */
export interface NodeOperation {
  /** The body and path for one node, given the owner's address. */
  request(node: number, address: string): Omit<NodeRequest, "node">;
}

/**
 * Has all five nodes carry out an operation as the owner.
 *
 * @throws an {@link UnfinishedError} with the code and message of the node that failed; its `resume()`
 * goes on at that node
 */
export async function runOnAllNodes(
  operation: NodeOperation,
  options: OwnerCallOptions,
  first = 1,
): Promise<NodesDone> {
  const nodes = resolveKeyNodes(options);
  const auth = await resolveOwner(options, nodes);
  const stopped = await walkNodes(nodes, auth, first, (node) => operation.request(node, auth.address));
  if (stopped?.error) {
    const { node, error } = stopped;
    throw new UnfinishedError<NodesDone, Partial<OwnerCallOptions>>(error.code, error.message, {
      details: { ...error.details, node, nodesDone: nodesBefore(node) },
      cause: error,
      resume: async (changed) => {
        checkOptions(changed, ownerCallNames);
        return runOnAllNodes(operation, resumedOptions(options, changed), node);
      },
    });
  }
  return { nodes: nodesBefore(KEY_NODE_COUNT + 1) };
}

/** The options to go on with after a failure: a signal that has fired would end the work again at once. */
export function resumedOptions<Options extends OwnerCallOptions>(
  options: Options,
  changed: Partial<OwnerCallOptions>,
): Options {
  const { signal } = options;
  return changedOptions({ ...options, signal: signal?.aborted ? undefined : signal }, changed);
}

/** `options` with some of them changed. An owner is changed as a whole, though an address may get a fresh token. */
export function changedOptions<Options extends OwnerOptions>(
  options: Options,
  changed: Partial<OwnerOptions>,
): Options {
  const given = Object.fromEntries(Object.entries(changed).filter(([, value]) => value !== undefined));
  const newOwner = changed.signer !== undefined || changed.address !== undefined;
  const kept = newOwner ? { ...options, signer: undefined, address: undefined, authToken: undefined } : options;
  return { ...kept, ...given } as Options;
}
