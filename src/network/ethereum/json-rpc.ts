import { LIST_RESPONSE_BYTES } from "../../base/config/limits.ts";
import { isKeeplightError, type KeeplightError, withDetails } from "../../base/errors/base.ts";
import type { RequestFacts } from "../../base/errors/details/input-and-requests.ts";
import { invalidOption } from "../../base/errors/input.ts";
import { readProviderError, sanitizeServerText, toSafeCause } from "../../base/errors/nodes.ts";
import { rpcRefused, unreadableResponse } from "../../base/errors/payment.ts";
import { invalidJson, networkError } from "../../base/errors/transport.ts";
import type { ResolvedCall } from "../../base/options.ts";
import { parseJson } from "../../base/validation/parse-json.ts";
import { exchange } from "../http/client.ts";
import { TEMPORARY, withDeadline } from "../http/deadline.ts";
import { assertSuccess, type TextResponse } from "../http/response.ts";
import { getKeysOfUrl, withoutSecrets } from "../http/secrets.ts";

/**
 * Calls one JSON-RPC method of a node (EIP-1474).
 *
 * @throws `RPC_REFUSED` with the node's message in `details.reason` and a contract's revert data in `details.data`,
 * `HTTP_STATUS`, `INVALID_JSON`, `INVALID_RESPONSE` for the response to another request, `RESPONSE_TOO_LARGE`,
 * `NETWORK`, `TIMEOUT`, `ABORTED`
 */
export type Rpc = (method: string, params: readonly unknown[]) => Promise<unknown>;

/** Signal and time limit of each call. */
export type RpcLimits = Pick<ResolvedCall, "signal" | "timeoutMs">;

/** A JSON-RPC response, not yet checked. */
interface Envelope {
  id?: unknown;
  result?: unknown;
  error?: unknown;
}

/**
 * Connects to a node by its URL. The URL may contain an API key, so errors name only the host, and a key that the node repeats
 * is removed.
 *
 * @param retries - whether a call is repeated after a refusal with a `Retry-After`
 * @throws `INVALID_OPTION` for an invalid URL
 */
export function createHttpRpc(url: string, limits: RpcLimits, retries = true): Rpc {
  const parsed = parseUrl(url);
  const { origin, protocol, username, password, host, pathname, search } = parsed;
  const login = username === "" ? "" : `${username}:${password}@`;
  // Random, so that the response to another client's request is recognised as such.
  let lastId = Math.floor(Math.random() * 2 ** 32);
  return async (method, params) => {
    const id = ++lastId;
    const facts = { method, url: origin };
    const once = method === "eth_sendRawTransaction";
    try {
      const response = await exchange({
        method: "POST",
        base: `${protocol}//${login}${host}`,
        path: `${pathname}${search}`,
        json: { jsonrpc: "2.0", id, method, params },
        secrets: getKeysOfUrl(parsed),
        once,
        retries: retries && !once,
        maxBytes: LIST_RESPONSE_BYTES,
        ...limits,
      });
      const envelope = parseEnvelope(response.text);
      // Some nodes send their JSON-RPC error with status 400 or 500.
      if (envelope) throwRefusal(method, id, envelope, response);
      assertSuccess(response, "request");
      if (!envelope) throw invalidJson(facts, response.status);
      if (envelope.id !== id) throw unreadableResponse(method);
      return envelope.result ?? null;
    } catch (error) {
      throw isKeeplightError(error) && error.code !== "RPC_REFUSED" ? withSafeDetails(error, facts) : error;
    }
  };
}

/** Connects to a node through a wallet or a provider of ethers. */
export function createProviderRpc(send: Rpc, limits: RpcLimits): Rpc {
  return (method, params) => {
    const facts = { method, url: "the signer's provider" };
    const call = (signal: AbortSignal) =>
      new Promise((resolve, reject) => {
        signal.addEventListener("abort", () => reject(networkError(facts, undefined)), { once: true });
        Promise.resolve()
          .then(() => send(method, params))
          .then(resolve, (error: unknown) => reject(translateProviderError(method, facts, error)));
      });
    return withDeadline(facts, limits, call);
  };
}

/** Translates an error: one with a code or data is from the node, any other means that the node was not reached. */
function translateProviderError(method: string, facts: RequestFacts, error: unknown): KeeplightError {
  const providerError = readProviderError(error);
  const isFromNode = providerError.code !== undefined || providerError.data !== undefined;
  return isFromNode ? rpcRefused(method, providerError) : networkError(facts, toSafeCause(providerError));
}

/** The id of an error is null if the node could not read the request (JSON-RPC 2.0, section 5). */
function throwRefusal(
  method: string,
  id: number,
  { id: responseId = null, error = null }: Envelope,
  { status, retryAfterSeconds, secrets }: TextResponse,
): void {
  if (error === null) return;
  if (responseId !== id && responseId !== null) throw unreadableResponse(method);
  const nodeError = readProviderError(error, (text) => withoutSecrets(text, secrets));
  throw rpcRefused(method, nodeError, TEMPORARY.has(status) ? { status, retryAfterSeconds } : {});
}

/** Replaces the details that may repeat the URL's API key. */
function withSafeDetails(error: KeeplightError, facts: RequestFacts): KeeplightError {
  const { serverMessage } = error.details;
  const safeText = typeof serverMessage === "string" ? { serverMessage: sanitizeServerText(serverMessage) } : {};
  return withDetails(error, { ...error.details, ...safeText, ...facts });
}

function parseUrl(url: string): URL {
  try {
    return new URL(url);
  } catch {
    // The original error is dropped: its message might repeat an API key.
    throw invalidOption("rpc", "an http or https URL");
  }
}

/** Parses a JSON object; `undefined` for anything else. */
function parseEnvelope(text: string): Envelope | undefined {
  try {
    const value = parseJson(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Parses a quantity that a node returned for `method`; throws `INVALID_RESPONSE` for anything else. */
export function parseQuantity(method: string, value: unknown): bigint {
  if (typeof value === "string" && /^0x[0-9a-fA-F]{1,64}$/.test(value)) return BigInt(value);
  throw unreadableResponse(method);
}

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
  nonceTaken: /(?<!un)known|imported|exists|nonce|replacement.*underpriced/i,
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
