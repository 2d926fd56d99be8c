import { wait } from "../../base/async/abort.ts";
import { createSemaphore, type Semaphore } from "../../base/async/queue.ts";
import {
  KEY_NODE_ATTEMPTS,
  KEY_NODE_CONCURRENCY,
  KEY_NODE_PAUSE_MS,
  KEY_NODE_RETRY_MS,
  SHORT_TIMEOUT_MS,
} from "../../base/config/limits.ts";
import { isKeeplightError, KeeplightError } from "../../base/errors/base.ts";
import { nodeRefused } from "../../base/errors/nodes.ts";
import { type OptionSchema, oneOf, type Resolved, wholeNumber } from "../../base/operation.ts";
import { type CallOptions, callSchema, type ResolvedCall } from "../../base/options.ts";
import { parseJson, textField } from "../../base/validation/parse-json.ts";
import { exchange, type HttpRequest } from "../../network/http/client.ts";
import { assertSuccess, parseResponse, readServerMessage, type TextResponse } from "../../network/http/response.ts";

/** Whether the key nodes are called one after another or all at once. */
export type Pacing = "sequential" | "parallel";

/** Options of calls to the five key nodes. */
export interface KeyNodeOptions extends CallOptions {
  /**
   * `sequential`: the nodes are called one after another, with a pause in between. `parallel`: all at once, without
   * pauses; where shards are fetched, the first that arrive are used, and a slow node is not waited for. What saves or
   * changes something still waits for every node and reports each; after a failure nothing more is sent where
   * `sequential` calls no further node.
   *
   * @default "sequential"
   */
  pacing?: Pacing | undefined;
  /** Pause between calls to two nodes, in milliseconds; none with `pacing: "parallel"`. @default 1,000 */
  pauseMs?: number | undefined;
  /** How many times one request is attempted when the connection fails. @default 3 */
  attempts?: number | undefined;
  /** Wait between two attempts, in milliseconds. @default 1,000 */
  retryMs?: number | undefined;
  /** Maximum number of concurrent requests, over all files of the call. @default 64 */
  maxInFlight?: number | undefined;
}

export const keyNodeSchema = {
  ...callSchema,
  pacing: oneOf(["sequential", "parallel"], "sequential"),
  pauseMs: wholeNumber(KEY_NODE_PAUSE_MS),
  attempts: wholeNumber(KEY_NODE_ATTEMPTS, 1),
  retryMs: wholeNumber(KEY_NODE_RETRY_MS),
  maxInFlight: wholeNumber(KEY_NODE_CONCURRENCY, 1),
} satisfies OptionSchema<KeyNodeOptions>;

/** The key nodes, with the options of one call. */
export interface KeyNodes {
  call: ResolvedCall;
  pacing: Pacing;
  /** Between calls to two nodes, if they are not called at once. */
  pauseMs: number;
  attempts: number;
  retryMs: number;
  inFlight: Semaphore;
}

/** Options of a call to the key nodes; one that also transfers files may leave the time limit of requests open. */
type ResolvedKeyNodes = Omit<Resolved<typeof keyNodeSchema>, "timeoutMs"> & { timeoutMs: number | undefined };

/** Prepares calls to the key nodes; nothing is sent yet. */
export function openKeyNodes(options: ResolvedKeyNodes): KeyNodes {
  const { signal, timeoutMs = SHORT_TIMEOUT_MS, idleTimeoutMs, endpoints, pacing, attempts, retryMs } = options;
  return {
    call: { signal, timeoutMs, idleTimeoutMs, endpoints },
    pacing,
    pauseMs: pacing === "parallel" ? 0 : options.pauseMs,
    attempts,
    retryMs,
    inFlight: createSemaphore(options.maxInFlight),
  };
}

/** One request to the key nodes' host. */
export interface NodeRequest {
  method: HttpRequest["method"];
  path: string;
  json?: unknown;
  /** Largest response, in bytes. Default 64 KiB. */
  maxBytes?: number;
  /** 1 to 5, if the request is for one node. */
  node?: number;
}

/** Authorizes an owner's requests to the key nodes. */
export interface NodeAuth {
  address: string;
  /** Returns the current bearer. */
  token(): Promise<string>;
  /** Returns another bearer after a node has refused `stale`; `undefined` if there is no way to get one. */
  renew(stale: string): Promise<string | undefined>;
}

/**
 * Sends one request and returns the response's JSON. Failed connections and status 404 are retried. Refusals are not;
 * the node's message is kept in the error. A JWT that the node no longer accepts is refreshed once.
 *
 * @throws `NODE_REFUSED`, `HTTP_STATUS`, `INVALID_JSON`, `NETWORK`, `TIMEOUT`, `ABORTED`
 */
export async function requestNode(nodes: KeyNodes, request: NodeRequest, auth?: NodeAuth): Promise<unknown> {
  return readJson(await requestAuthorized(nodes, request, auth));
}

/**
 * Sends a request that the node has to confirm with the message "success".
 *
 * @throws what {@link requestNode} throws; `NODE_REFUSED` for any other response
 */
export async function requestNodeSuccess(nodes: KeyNodes, request: NodeRequest, auth: NodeAuth): Promise<void> {
  const response = await requestAuthorized(nodes, request, auth);
  if (textField(readJson(response), "message") === "success") return;
  const message = readServerMessage(response) ?? 'The key node did not respond with "success"';
  throw nodeRefused(response.facts, response.status, message);
}

async function requestAuthorized(nodes: KeyNodes, request: NodeRequest, auth?: NodeAuth): Promise<TextResponse> {
  const token = await auth?.token();
  const response = await sendWithRetry(nodes, request, token);
  const renewed = response.status === 401 && token !== undefined ? await auth?.renew(token) : undefined;
  return renewed === undefined ? response : sendWithRetry(nodes, request, renewed);
}

async function sendWithRetry(nodes: KeyNodes, request: NodeRequest, bearer: string | undefined): Promise<TextResponse> {
  const { signal, timeoutMs, endpoints } = nodes.call;
  const send = () => exchange({ ...request, base: endpoints.keyNodes, bearer, signal, timeoutMs });
  for (let attempt = 1; ; attempt++) {
    try {
      const response = await nodes.inFlight(send, signal);
      const { status, facts } = response;
      // Older clients treat it like a failed connection: worth another try.
      if (status === 404) throw new KeeplightError("NETWORK", "fetch Error", { details: { ...facts, status } });
      return response;
    } catch (error) {
      const isFetchFailure = isKeeplightError(error, "NETWORK") || isKeeplightError(error, "TIMEOUT");
      if (attempt >= nodes.attempts || !isFetchFailure) throw error;
    }
    await wait(nodes.retryMs, signal);
  }
}

function readJson(response: TextResponse): unknown {
  if (response.status >= 200 && response.status < 300) return parseResponse(response);
  const message = readServerMessage(response);
  if (message !== undefined && isJsonObject(response.text)) {
    throw nodeRefused(response.facts, response.status, message, response.retryAfterSeconds);
  }
  return assertSuccess(response, "request");
}

function isJsonObject(text: string): boolean {
  try {
    const value = parseJson(text);
    return typeof value === "object" && value !== null;
  } catch {
    return false;
  }
}
