import { wait } from "../async/abort.ts";
import { allInOrder } from "../async/all-in-order.ts";
import { isKeeplightError } from "../errors/base.ts";
import { wrongChain } from "../errors/payment.ts";
import type { Rpc } from "./json-rpc.ts";
import { addFailure, nextNode, untried } from "./next-node.ts";
import { isNodeError } from "./node-errors.ts";
import { parseQuantity } from "./quantity.ts";

const BROADCAST = "eth_sendRawTransaction";

/**
 * Calls the first healthy one of several nodes: again after a back-off, or another one, if it cannot be reached or is too
 * busy. Broadcasts go to all of them: the same signed transaction has no effect twice.
 */
export interface RpcPool extends Rpc {
  /**
   * Runs `work` with calls to one node only, as nodes lag behind each other: what it reads is consistent. Runs it again
   * with the next node if a call fails.
   */
  onOneNode<T>(work: (rpc: Rpc) => Promise<T>): Promise<T>;
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
  let preferred = 0;

  async function onOneNode<T>(work: (rpc: Rpc) => Promise<T>): Promise<T> {
    const { result, node } = await tryNodes(verified, preferred, signal, work);
    preferred = node;
    return result;
  }

  const toAll: Rpc = async (method, params) => {
    const outcomes = await Promise.allSettled(verified.map((node) => node(method, params)));
    const accepted = outcomes.find((outcome) => outcome.status === "fulfilled");
    if (accepted) return accepted.value;
    throw chooseError(outcomes.map((outcome) => (outcome.status === "rejected" ? outcome.reason : undefined)));
  };

  const call: Rpc = async (method, params) => {
    if (method !== BROADCAST) return onOneNode((rpc) => rpc(method, params));
    return (await tryNodes([toAll], 0, signal, (rpc) => rpc(method, params))).result;
  };
  return Object.assign(call, { onOneNode });
}

async function tryNodes<T>(
  nodes: readonly Rpc[],
  first: number,
  signal: AbortSignal | undefined,
  work: (rpc: Rpc) => Promise<T>,
): Promise<{ result: T; node: number }> {
  const states = nodes.map(() => untried);
  let failure: unknown;
  for (;;) {
    const choice = nextNode(states, first, Math.random());
    const rpc = choice && nodes[choice.node];
    if (!rpc) throw failure;
    const { node, delayMs } = choice;
    if (delayMs > 0) await wait(delayMs, signal);
    try {
      return { result: await work(rpc), node };
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
