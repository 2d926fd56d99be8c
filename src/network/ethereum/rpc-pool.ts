import { wait } from "../../base/async/abort.ts";
import { allInOrder } from "../../base/async/all-in-order.ts";
import { isKeeplightError } from "../../base/errors/base.ts";
import { wrongChain } from "../../base/errors/payment.ts";
import type { Rpc } from "./json-rpc.ts";
import { addFailure, nextNode, untried } from "./next-node.ts";
import { isNodeError } from "./node-errors.ts";
import { parseQuantity } from "./quantity.ts";

const BROADCAST = "eth_sendRawTransaction";

/** How often a call is sent to one node. */
const MAX_TRIES = 4;

/**
 * Calls the first healthy one of several nodes: again after a back-off, or another one, if it cannot be reached or is too
 * busy. Broadcasts go to all of them: the same signed transaction has no effect twice.
 */
export interface RpcPool extends Rpc {
  /**
   * Runs `work` with one node only, as nodes lag behind each other: what it reads is consistent. Runs it again with the
   * next node if that one fails.
   */
  onOneNode<T>(work: (rpc: RpcPool) => Promise<T>): Promise<T>;
}

/**
 * @param chainId - verified for each node before anything that it responds is used. Undefined for wallets, which may
 * switch chains at any time
 */
export function createRpcPool(
  nodes: readonly Rpc[],
  chainId: number | undefined,
  signal: AbortSignal | undefined,
): RpcPool {
  const verified = chainId === undefined ? nodes : nodes.map((node) => verifyChain(node, chainId));
  const single = verified.length === 1 ? undefined : verified.map((node) => createRpcPool([node], undefined, signal));
  let preferred = 0;

  const toAll: Rpc = async (method, params) => {
    const outcomes = await Promise.allSettled(verified.map((node) => node(method, params)));
    const accepted = outcomes.find((outcome) => outcome.status === "fulfilled");
    if (accepted) return accepted.value;
    throw chooseError(outcomes.map((outcome) => (outcome.status === "rejected" ? outcome.reason : undefined)));
  };

  async function runOnOne<Node, T>(
    candidates: readonly Node[],
    maxTries: number,
    work: (node: Node) => Promise<T>,
  ): Promise<T> {
    const { result, node } = await tryNodes(candidates, preferred, maxTries, signal, work);
    preferred = node;
    return result;
  }

  const call: Rpc = async (method, params) => {
    // What a wallet itself is requested to do is not repeated.
    if (!method.startsWith("eth_")) return runOnOne(verified, 1, (node) => node(method, params));
    if (method !== BROADCAST) return runOnOne(verified, MAX_TRIES, (node) => node(method, params));
    return (await tryNodes([toAll], 0, MAX_TRIES, signal, (rpc) => rpc(method, params))).result;
  };
  // The calls of `work` are repeated one by one.
  const pool: RpcPool = Object.assign(call, {
    onOneNode: <T>(work: (rpc: RpcPool) => Promise<T>) => (single ? runOnOne(single, 1, work) : work(pool)),
  });
  return pool;
}

async function tryNodes<Node, T>(
  nodes: readonly Node[],
  first: number,
  maxTries: number,
  signal: AbortSignal | undefined,
  work: (node: Node) => Promise<T>,
): Promise<{ result: T; node: number }> {
  const states = nodes.map(() => untried);
  let failure: unknown;
  for (;;) {
    const choice = nextNode(states, { first, maxTries, random: Math.random() });
    const chosen = choice && nodes[choice.node];
    if (!chosen) throw failure;
    const { node, delayMs } = choice;
    if (delayMs > 0) await wait(delayMs, signal);
    try {
      return { result: await work(chosen), node };
    } catch (error) {
      const state = addFailure(states[node] ?? untried, error);
      if (!state) throw error;
      states[node] = state;
      failure = error;
    }
  }
}

/** The error by which a node has the transaction, else a node's refusal, else any. */
function chooseError(errors: readonly unknown[]): unknown {
  const refusal = errors.find((error) => isKeeplightError(error, "RPC_REFUSED"));
  return errors.find((error) => isNodeError(error, "nonceTaken")) ?? refusal ?? errors[0];
}

/** Calls a node together with the first request for its chain, and trusts it only once that is the expected one. */
function verifyChain(node: Rpc, chainId: number): Rpc {
  let verified: Promise<unknown> | undefined;

  function readChain(): Promise<unknown> {
    const reading = checkChain(node, chainId);
    reading.catch(() => {
      if (verified === reading) verified = undefined;
    });
    verified = reading;
    return reading;
  }

  return async (method, params) => {
    if (method === "eth_chainId") return readChain();
    const chain = verified ?? readChain();
    // Nothing is sent to another chain.
    if (method === BROADCAST) await chain;
    const [, result] = await allInOrder([chain, node(method, params)]);
    return result;
  };
}

async function checkChain(node: Rpc, chainId: number): Promise<unknown> {
  const response = await node("eth_chainId", []);
  const got = parseQuantity("eth_chainId", response);
  if (got !== BigInt(chainId)) throw wrongChain("The node", chainId, got);
  return response;
}
