import { wait } from "../../async/abort.ts";
import { createSemaphore, type Semaphore } from "../../async/semaphore.ts";
import { KEY_NODE_ATTEMPTS, KEY_NODE_CONCURRENCY, KEY_NODE_PAUSE_MS, KEY_NODE_RETRY_MS } from "../../config/limits.ts";
import { isKeeplightError } from "../../errors/base.ts";
import { fetchError, nodeRefused } from "../../errors/nodes.ts";
import { exchange, type HttpRequest } from "../../http/client.ts";
import { assertSuccess, parseJson, serverMessage, type TextResponse } from "../../http/response.ts";
import { type CallOptions, callOptionNames, type ResolvedCall, resolveCall } from "../../options.ts";
import { wholeNumber } from "../../validation/number.ts";

/** Options of calls to the five key nodes. */
export interface KeyNodeOptions extends CallOptions {
  /** Pause between calls to two nodes, in milliseconds. Default 1,000. */
  pauseMs?: number | undefined;
  /** How often one request is tried when the connection fails. Default 3. */
  attempts?: number | undefined;
  /** Wait between two tries, in milliseconds. Default 1,000. */
  retryMs?: number | undefined;
  /** Requests under way at once, over all files of the call. Default 64. */
  maxInFlight?: number | undefined;
}

export const keyNodeOptionNames = [callOptionNames, "pauseMs,attempts,retryMs,maxInFlight"] as const;

/** The key nodes as one call sees them. */
export interface KeyNodes {
  call: ResolvedCall;
  pauseMs: number;
  attempts: number;
  retryMs: number;
  inFlight: Semaphore;
}

/** Fills in the defaults; throws `INVALID_OPTION`. */
export function resolveKeyNodes(options: KeyNodeOptions): KeyNodes {
  return {
    call: resolveCall(options),
    pauseMs: wholeNumber("pauseMs", options.pauseMs, KEY_NODE_PAUSE_MS),
    attempts: wholeNumber("attempts", options.attempts, KEY_NODE_ATTEMPTS, 1),
    retryMs: wholeNumber("retryMs", options.retryMs, KEY_NODE_RETRY_MS),
    inFlight: createSemaphore(wholeNumber("maxInFlight", options.maxInFlight, KEY_NODE_CONCURRENCY, 1)),
  };
}

/** One request to the key nodes' host. */
export interface NodeRequest {
  method: HttpRequest["method"];
  path: string;
  json?: unknown;
  /** 1 to 5, where the request is for one node. */
  node?: number;
}

/**
 * Sends one request and gives its JSON. A failed connection and a 404 are tried again; a refusal is told
 * at once, in the node's own words. A JWT that the node no longer takes is refreshed once.
 *
 * @throws `NODE_REFUSED`, `HTTP_STATUS`, `INVALID_JSON`, `NETWORK`, `TIMEOUT`, `ABORTED`
 */
export async function requestNode(nodes: KeyNodes, request: NodeRequest, auth?: NodeAuth): Promise<unknown> {
  return read(await requestAuthorized(nodes, request, auth));
}

/**
 * Has a node carry something out, which it has to answer with "success".
 *
 * @throws what {@link requestNode} throws; `NODE_REFUSED` for any other answer
 */
export async function requestNodeSuccess(nodes: KeyNodes, request: NodeRequest, auth: NodeAuth): Promise<void> {
  const answer = await requestAuthorized(nodes, request, auth);
  const said = read(answer);
  if (typeof said === "object" && said !== null && "message" in said && said.message === "success") return;
  throw nodeRefused(answer.facts, answer.status, serverMessage(answer) ?? 'The key node did not answer "success"');
}

async function requestAuthorized(
  nodes: KeyNodes,
  request: NodeRequest,
  auth: NodeAuth | undefined,
): Promise<TextResponse> {
  const token = await auth?.token();
  const answer = await sendWithRetry(nodes, request, token);
  if (answer.status === 401 && auth !== undefined && token !== undefined) {
    const renewed = await auth.renew(token);
    if (renewed !== undefined) return sendWithRetry(nodes, request, renewed);
  }
  return answer;
}

async function sendWithRetry(nodes: KeyNodes, request: NodeRequest, bearer: string | undefined): Promise<TextResponse> {
  const { signal, timeoutMs, endpoints } = nodes.call;
  for (let attempt = 1; ; attempt++) {
    try {
      const answer = await nodes.inFlight(
        () => exchange({ ...request, base: endpoints.keyNodes, bearer, signal, timeoutMs }),
        signal,
      );
      if (answer.status === 404) throw fetchError(answer.facts);
      return answer;
    } catch (error) {
      if (attempt >= nodes.attempts || !isFetchFailure(error)) throw error;
    }
    await wait(nodes.retryMs, signal);
  }
}

function isFetchFailure(error: unknown): boolean {
  return isKeeplightError(error) && (error.code === "NETWORK" || error.code === "TIMEOUT");
}

function read(answer: TextResponse): unknown {
  if (answer.status >= 200 && answer.status < 300) return parseJson(answer);
  const said = serverMessage(answer);
  if (said !== undefined && isJsonObject(answer.text))
    throw nodeRefused(answer.facts, answer.status, said, answer.retryAfterSeconds);
  return assertSuccess(answer, "request");
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null;
  } catch {
    return false;
  }
}
/** An owner's standing with the key nodes. */

export interface NodeAuth {
  address: string;
  /** The bearer to use now. */
  token(): Promise<string>;
  /** Another bearer after a node has refused `stale`; `undefined` where there is no way to get one. */
  renew(stale: string): Promise<string | undefined>;
}
