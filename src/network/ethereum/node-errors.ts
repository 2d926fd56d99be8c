import { isKeeplightError } from "../../base/errors/base.ts";

/**
 * Messages that identify the errors of nodes. JSON-RPC uses one code (-32000) for most of them, so only the message, which
 * varies between clients (Geth, Nethermind, Erigon, Lotus), distinguishes them.
 */
const messages = {
  /** A contract reverted. */
  reverted: /revert|invalid opcode|out of gas|vm exception/i,
  /** The balance does not cover value and gas. */
  insufficientFunds: /insufficient (funds|balance)/i,
  /** The node has this very transaction, or its nonce is used or has another transaction pending. */
  nonceTaken: /known|imported|exists|nonce|underpriced/i,
  /** The node has too many requests. */
  busy: /rate.?limit|too many requests|limit exceeded|capacity|throttled/i,
  /** The height has no block, as no miner won its epoch (Filecoin). */
  nullRound: /null round/i,
  /** The node does not have, or no longer has, a block or its state. */
  lacksState: /missing trie node|(header|block) not found|unknown block|pruned|historical state/i,
  /** The response to this request would be too large. */
  tooMuch: /more than|range|results|response size/i,
} as const;

/** The code of a reverted call, in clients that have one for it. */
const REVERTED = 3;

/** Whether a node refused a request with an error of this kind. */
export function isNodeError(error: unknown, kind: keyof typeof messages): boolean {
  return isKeeplightError(error, "RPC_REFUSED") && messages[kind].test(error.details.reason);
}

/** Whether a contract, not the node, refused a call. */
export function isRevert(error: unknown): boolean {
  if (!isKeeplightError(error, "RPC_REFUSED")) return false;
  const { data, rpcCode } = error.details;
  return data !== undefined || rpcCode === REVERTED || isNodeError(error, "reverted");
}
