import { MAX_RETRY_AFTER_MS } from "../../base/config/limits.ts";
import { isKeeplightError, type KeeplightError } from "../../base/errors/base.ts";
import { isNodeError, isRevert } from "./node-errors.ts";

/** What the tries of one call showed of a node. */
export interface NodeTries {
  /** How often the call was sent to it. */
  tries: number;
  /** Whether the call is not sent to it again. */
  isOut: boolean;
  /** How long it asked to wait before the next try, in milliseconds. */
  retryAfterMs: number;
}

/** What decides between nodes, besides their tries. */
export interface Choice {
  /** The preferred node. */
  first: number;
  /** How often a call is sent to one node. */
  maxTries: number;
  /** From 0 to 1. */
  random: number;
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
 */
export function nextNode(
  nodes: readonly NodeTries[],
  { first, maxTries, random }: Choice,
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
