import { sendRequest } from "#platform";
import { wait } from "../../base/async/abort.ts";
import { SHORT_RESPONSE_BYTES } from "../../base/config/limits.ts";
import { isKeeplightError } from "../../base/errors/base.ts";
import type { RequestFacts } from "../../base/errors/details/input-and-requests.ts";
import { httpStatus, networkError, responseTooLarge } from "../../base/errors/transport.ts";
import { toChunks } from "../../base/streams/chunks.ts";
import type { RequestBody, StackRequest, StackResponse, TransferWatch } from "../../platform/types.ts";
import { readRetryAfter, retryDelay, withDeadline } from "./deadline.ts";
import { type TextResponse, throwStatus } from "./response.ts";
import { basicAuthorization, collectSecrets, withoutCredentials } from "./secrets.ts";

/** One request to a service of the network. */
export interface HttpRequest {
  method: "GET" | "POST" | "PUT" | "DELETE";
  /** Base URL of the service. */
  base: string;
  /** Path from the base, starting with a slash; its variable parts already percent-encoded. */
  path: string;
  query?: Record<string, string>;
  bearer?: string | undefined;
  headers?: Record<string, string>;
  /** Sent as JSON. */
  json?: unknown;
  /** What else of it must not be printed if the service repeats it. */
  secrets?: readonly string[] | undefined;
  /** Key node that receives the request, for errors. */
  node?: number;
  signal: AbortSignal | undefined;
  /** Uses its own connection and is never repeated, because its effect must not happen twice. */
  once?: boolean | undefined;
  /** Is sent again, within its time limit, after a refusal with a short `Retry-After`. */
  retries?: boolean | undefined;
  /** What a browser's cache may do with the response; see {@link StackRequest}. Default `any`. */
  cache?: StackRequest["cache"];
  /** How long the peer may be silent while a body is transferred, in milliseconds. */
  idleTimeoutMs?: number | undefined;
  /** Largest response that is read as a whole, in bytes. Default 64 KiB. */
  maxBytes?: number | undefined;
  /** Time limit in milliseconds, from the first byte sent to the last byte read. */
  timeoutMs: number;
}

/**
 * Sends a request and resolves to the whole response, regardless of its status.
 *
 * @throws `ABORTED`, `TIMEOUT`, `NETWORK`, `RESPONSE_TOO_LARGE`
 */
export function exchange(request: HttpRequest, body?: RequestBody): Promise<TextResponse> {
  const { maxBytes = SHORT_RESPONSE_BYTES } = request;
  return withResponse({ ...request, cache: "none", maxBytes }, body, async (response, chunks, facts) => {
    const { isWhole, ...whole } = await readWhole(request, response, chunks, facts, maxBytes);
    // Of a refusal, the start is enough.
    if (!isWhole && response.status < 300) throw responseTooLarge(facts, maxBytes);
    return whole;
  });
}

/**
 * Sends a request and passes its response to `use`, the body not read yet. Time limits and signal hold until `use` is
 * done, and the connection is closed regardless of the outcome.
 */
export function withResponse<T>(
  request: HttpRequest,
  body: RequestBody | undefined,
  use: (response: StackResponse, chunks: AsyncIterable<Uint8Array>, facts: RequestFacts) => Promise<T>,
): Promise<T> {
  const { method, json, once = false, cache = "any", maxBytes } = request;
  const facts = toFacts(request);
  return withDeadline(facts, request, async (signal, idle) => {
    const send = () => {
      // The sender of a body reports what is expected by itself.
      if (!body) idle.expect();
      return sendRequest({
        method,
        url: buildUrl(request),
        headers: buildHeaders(request),
        body: body ?? (json === undefined ? undefined : JSON.stringify(json)),
        signal,
        once,
        cache,
        maxBytes,
        watch: idle,
        facts,
      });
    };
    const response = await (request.retries ? sendWithRetry(send, request, signal, idle) : send()).catch(
      (error: unknown) => {
        throw translate(facts, error);
      },
    );
    try {
      return await use(response, readChunks(facts, response, idle), facts);
    } finally {
      response.close();
    }
  });
}

/** A body that is read chunk after chunk. */
export interface IncomingBody extends Pick<StackResponse, "size" | "endIsProven"> {
  chunks: AsyncIterable<Uint8Array>;
}

/**
 * Sends a request and passes the body to `read` as it arrives. Only status 200 means a file: 202 means try again
 * later, 206 is a part of it. Files are requested uncompressed.
 *
 * @throws `HTTP_STATUS`, `ABORTED`, `TIMEOUT`, `NETWORK` (also when the body is truncated), `RESPONSE_TOO_LARGE` for a
 * compressed body that expands beyond limits, and what `read` throws
 */
export function receive<T>(request: HttpRequest, read: (body: IncomingBody) => Promise<T>): Promise<T> {
  const plain = { ...request, headers: { ...request.headers, "Accept-Encoding": "identity" } };
  return withResponse(plain, undefined, async (response, chunks, facts) => {
    const { status, size, endIsProven } = response;
    if (status === 200) return read({ size, endIsProven, chunks });
    // The body of another success status is (part of) a file, not a message.
    if (status < 300) throw httpStatus(facts, status, "http");
    return throwRefusal(request, response, chunks, facts);
  });
}

/** Sends a request again while its refusals name a time to wait; see {@link retryDelay}. */
async function sendWithRetry(
  send: () => Promise<StackResponse>,
  { timeoutMs }: HttpRequest,
  signal: AbortSignal,
  idle: TransferWatch,
): Promise<StackResponse> {
  const deadline = performance.now() + timeoutMs;
  for (let attempt = 1; ; attempt++) {
    const response = await send();
    const { status, headers } = response;
    const retryAfterSeconds = readRetryAfter(headers["retry-after"], Date.now());
    const remainingMs = deadline - performance.now();
    const delay = retryDelay({ status, retryAfterSeconds, attempt, remainingMs, random: Math.random() });
    if (delay === undefined) return response;
    response.close();
    idle.rest();
    // Only the deadline knows why its signal fired.
    await wait(delay, signal).catch(() => signal.throwIfAborted());
  }
}

function buildUrl({ base, path, query }: HttpRequest): string {
  const search = query === undefined ? "" : `?${new URLSearchParams(query)}`;
  return withoutCredentials(`${trimSlashes(base)}${path}${search}`);
}

function buildHeaders({ base, bearer, headers, json }: HttpRequest): Record<string, string> {
  const authorization = bearer === undefined ? basicAuthorization(base) : `Bearer ${bearer}`;
  return {
    ...(json === undefined ? {} : { "Content-Type": "application/json" }),
    ...(authorization === undefined ? {} : { Authorization: authorization }),
    ...headers,
  };
}

function toFacts({ method, base, path, node }: HttpRequest): RequestFacts {
  const url = withoutCredentials(`${trimSlashes(base)}${path}`);
  return { method, url, ...(node === undefined ? {} : { node }) };
}

function trimSlashes(base: string): string {
  return base.replace(/\/+$/, "");
}

/** Yields the chunks of a body; the peer is expected to send while this waits, not while a chunk is used. */
async function* readChunks(facts: RequestFacts, { chunks }: StackResponse, idle: TransferWatch) {
  try {
    idle.expect();
    for await (const chunk of toChunks(chunks)) {
      idle.rest();
      yield chunk;
      idle.expect();
    }
  } catch (error) {
    throw translate(facts, error);
  } finally {
    idle.rest();
  }
}

/** Reads a response, of its body at most what ends with the chunk that exceeds `maxBytes`. */
async function readWhole(
  request: HttpRequest,
  { status, headers, endIsProven }: StackResponse,
  chunks: AsyncIterable<Uint8Array>,
  facts: RequestFacts,
  maxBytes: number,
): Promise<TextResponse & { isWhole: boolean }> {
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    text += decoder.decode(chunk, { stream: true });
    if (size > maxBytes) break;
  }
  const isWhole = size <= maxBytes;
  if (isWhole) text += decoder.decode();
  const retryAfterSeconds = readRetryAfter(headers["retry-after"], Date.now());
  const secrets = collectSecrets(request);
  return { status, headers, endIsProven, text, isWhole, retryAfterSeconds, facts, secrets };
}

/** Throws the error of a refusal, of whose body the start is enough. */
export async function throwRefusal(
  request: HttpRequest,
  response: StackResponse,
  chunks: AsyncIterable<Uint8Array>,
  facts: RequestFacts,
): Promise<never> {
  throwStatus(await readWhole(request, response, chunks, facts, SHORT_RESPONSE_BYTES));
}

function translate(facts: RequestFacts, error: unknown): unknown {
  return isKeeplightError(error) ? error : networkError(facts, error);
}
