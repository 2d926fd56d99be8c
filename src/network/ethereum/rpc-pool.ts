import { wait } from "../../base/async/abort.ts";
import { allInOrder } from "../../base/async/queue.ts";
import { MAX_RETRY_AFTER_MS } from "../../base/config/limits.ts";
import { isKeeplightError, type KeeplightError } from "../../base/errors/base.ts";
import { wrongChain } from "../../base/errors/payment.ts";
import { isNodeError, isRevert, parseQuantity, type Rpc } from "./json-rpc.ts";

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

/** What the tries of one call showed of a node. */
export interface NodeTries {
  /** How often the call was sent to it. */
  tries: number;
  /** Whether the call is not sent to it again. */
  isOut: boolean;
  /** How long it asked to wait before the next try, in milliseconds. */
  retryAfterMs: number;
}

/** Longest back-off before the second try, in milliseconds; doubled for each later one. */
const BACKOFF_MS = 200;

/** Codes of JSON-RPC by which a node failed or is too busy: limit exceeded (EIP-1474), internal error. */
const BUSY_CODES: ReadonlySet<unknown> = new Set([-32_005, -32_603, 429]);

/** Codes of JSON-RPC by which a node does not have a method: not found, not supported (EIP-1474). */
const UNABLE_CODES: ReadonlySet<unknown> = new Set([-32_601, -32_004]);

export const untried: NodeTries = { tries: 0, isOut: false, retryAfterMs: 0 };

/**
 * Decides which node a call is sent to next, and how long to wait before that: the least tried one, from `first` on.
 * Returns `undefined` if there is none left.
 *
 * @param random - from 0 to 1
 */
export function nextNode(
  nodes: readonly NodeTries[],
  { first, maxTries, random }: { first: number; maxTries: number; random: number },
): { node: number; delayMs: number } | undefined {
  const inOrder = nodes.map((_, offset) => (first + offset) % nodes.length);
  const triesOf = (node: number): number => nodes[node]?.tries ?? 0;
  const [node, ...others] = inOrder.filter((at) => !nodes[at]?.isOut && triesOf(at) < maxTries);
  if (node === undefined) return undefined;
  const least = others.reduce((best, other) => (triesOf(other) < triesOf(best) ? other : best), node);
  return { node: least, delayMs: getDelay(nodes[least] ?? untried, random) };
}

function getDelay({ tries, retryAfterMs }: NodeTries, random: number): number {
  if (tries === 0) return 0;
  return retryAfterMs + BACKOFF_MS * 2 ** (tries - 1) * (0.5 + random / 2);
}

/** Adds a failed try; returns `undefined` if the failure is the call's own, which no node would carry out. */
export function addFailure({ tries }: NodeTries, error: unknown): NodeTries | undefined {
  const remedy = getRemedy(error);
  if (remedy === "none") return undefined;
  const retryAfterMs = readRetryAfterMs(error);
  return { tries: tries + 1, isOut: remedy === "other node" || retryAfterMs > MAX_RETRY_AFTER_MS, retryAfterMs };
}

function getRemedy(error: unknown): "retry" | "other node" | "none" {
  if (!isKeeplightError(error)) return "none";
  const { status } = error.details;
  switch (error.code) {
    case "NETWORK":
    case "INVALID_JSON":
    case "INVALID_RESPONSE":
      return "retry";
    case "TIMEOUT":
    case "WRONG_CHAIN":
    case "RESPONSE_TOO_LARGE":
      return "other node";
    case "HTTP_STATUS":
      return status === 429 || Number(status) >= 500 ? "retry" : "other node";
    case "RPC_REFUSED":
      if (isBusy(error)) return "retry";
      return isUnable(error) ? "other node" : "none";
    default:
      return "none";
  }
}

/** Whether a node refused a call that it may carry out later. One that asks for too much is not. */
function isBusy(error: unknown): boolean {
  if (!isKeeplightError(error, "RPC_REFUSED") || isRevert(error)) return false;
  if (isNodeError(error, "insufficientFunds") || isNodeError(error, "tooMuch")) return false;
  const { status, rpcCode } = error.details;
  return status !== undefined || BUSY_CODES.has(rpcCode) || isNodeError(error, "busy");
}

/** Whether a node refused a call that another one may carry out: it lacks the method, old state, or looks at less. */
function isUnable(error: KeeplightError<"RPC_REFUSED">): boolean {
  if (isRevert(error)) return false;
  return UNABLE_CODES.has(error.details.rpcCode) || isNodeError(error, "lacksState") || isNodeError(error, "tooMuch");
}

function readRetryAfterMs(error: unknown): number {
  const seconds = isKeeplightError(error) ? error.details["retryAfterSeconds"] : undefined;
  return typeof seconds === "number" ? seconds * 1000 : 0;
}
