import { isKeeplightError, type KeeplightError } from "../../errors/base.ts";
import type { NodeFailure } from "../../errors/facts.ts";
import { isSingleNodeFault } from "../../errors/nodes.ts";
import { UnfinishedError } from "../../errors/unfinished.ts";
import { checkOptions } from "../../validation/check-options.ts";
import { type OwnerOptions, ownerOptionNames, resolveOwner } from "../auth/owner.ts";
import { ALL_NODES, callNodesInOrder, type FailedNode } from "./call-nodes-in-order.ts";
import {
  type KeyNodeOptions,
  type KeyNodes,
  keyNodeOptionNames,
  type NodeAuth,
  type NodeRequest,
  resolveKeyNodes,
} from "./node-client.ts";

/** Options of calls that an owner makes to all five key nodes. */
export type OwnerCallOptions = KeyNodeOptions & OwnerOptions;

export const ownerCallNames = [keyNodeOptionNames, ownerOptionNames] as const;

/** What a call to all five nodes did. */
export interface CompletedNodes {
  /** Numbers of the nodes that have done it: all five, unless `nodesMissing` lists the others. */
  nodes: number[];
  /** With `saveOn: "enough"`, the nodes that have no shard yet; left out where there are none. */
  nodesMissing?: number[];
}

/** One operation that every node has to carry out. */
export interface NodeOperation {
  /** The body and path for one node, given the owner's address. */
  request(node: number, address: string): Omit<NodeRequest, "node">;
  /** Whether the nodes after a failed one are called. Default `continue`. */
  afterFailure?: "stop" | "continue";
  /** How many nodes make a success. Default all five. */
  enough?: number;
  /** Which of the nodes that refused have nothing left to do. An error that it throws is reported instead of theirs. */
  settled?(calls: RefusedCalls): Promise<readonly number[]>;
}

/** Calls of which some were refused. */
export interface RefusedCalls {
  nodes: KeyNodes;
  auth: NodeAuth;
  refused: readonly number[];
  /** The nodes that did it in this call. */
  doneNow: readonly number[];
  /** The nodes that did it in this call or in one that this one resumes. */
  done: readonly number[];
}

/**
 * Has all five nodes carry out an operation as the owner.
 *
 * @throws an {@link UnfinishedError} with the code and message of the first node that failed; `details.nodesDone` and
 * `details.failures` list all nodes that were called, and its `resume()` calls those that have not done it
 */
export async function runOnAllNodes(
  operation: NodeOperation,
  options: OwnerCallOptions,
  doneBefore: readonly number[] = [],
): Promise<CompletedNodes> {
  const { afterFailure = "continue", enough = ALL_NODES.length } = operation;
  const nodes = resolveKeyNodes(options);
  const auth = await resolveOwner(options, nodes);
  const todo = except(ALL_NODES, doneBefore);
  const called = await callNodesInOrder(nodes, auth, todo, (node) => operation.request(node, auth.address), {
    afterFailure,
  });
  let done = [...doneBefore, ...called.done];
  let failures = called.failed;

  const refused = failures.filter(({ error }) => isDenial(error)).map(({ node }) => node);
  if (operation.settled && refused.length > 0 && !failures.some(endsCall)) {
    try {
      const settled = await operation.settled({ nodes, auth, refused, doneNow: called.done, done });
      done = [...done, ...settled];
      failures = failures.filter(({ node }) => !settled.includes(node));
    } catch (error) {
      if (!isKeeplightError(error)) throw error;
      failures = failures.map((failure) => (refused.includes(failure.node) ? { ...failure, error } : failure));
    }
  }

  done = except(ALL_NODES, except(ALL_NODES, done));
  const first = failures.find(endsCall) ?? failures[0];
  if (!first) return { nodes: done };
  if (done.length >= enough && !endsCall(first)) return { nodes: done, nodesMissing: except(ALL_NODES, done) };
  throw new UnfinishedError<CompletedNodes, Partial<OwnerCallOptions>>(first.error.code, first.error.message, {
    details: { ...first.error.details, node: first.node, nodesDone: done, failures: failures.map(toNodeFailure) },
    cause: first.error,
    resume: async (changed) => {
      checkOptions(changed, ownerCallNames);
      return runOnAllNodes(operation, resumedOptions(options, changed), done);
    },
  });
}

/** A failure of the call, not of a node: it is the one to report. */
function endsCall({ error }: FailedNode): boolean {
  return !isSingleNodeFault(error);
}

const NOT_ABOUT_THE_FILE = new Set([408, 425, 429]);

/** Whether a node denies the caller the file: not by nonsense, nor because of the token or of how busy it is. */
export function isDenial({ code, message, details }: KeeplightError): boolean {
  const status = Number(details["status"]);
  const refuses = code === "NODE_REFUSED" && status >= 400 && status < 500;
  return refuses && !NOT_ABOUT_THE_FILE.has(status) && message !== "Invalid Signature";
}

function toNodeFailure({ node, error }: FailedNode): NodeFailure {
  return { node, code: error.code, message: error.message };
}

function except(all: readonly number[], some: readonly number[]): number[] {
  return all.filter((node) => !some.includes(node));
}

/**
 * The options to resume with: a signal that has fired would end the work again at once, and an option that is given
 * as `undefined` is dropped. An owner stays unless another is given.
 */
export function resumedOptions<Options extends OwnerCallOptions>(
  options: Options,
  changed: Partial<OwnerCallOptions>,
): Options {
  const { signal } = options;
  const dropped = Object.fromEntries(Object.keys(changed).map((name) => [name, undefined]));
  const { signer, address, authToken } = options;
  return changedOptions(
    { ...options, signal: signal?.aborted ? undefined : signal, ...dropped, signer, address, authToken } as Options,
    changed,
  );
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
