import axios from "#axios";
import { MAX_JSON_BYTES } from "../config/limits.ts";
import { KeeplightError } from "../errors/base.ts";
import { answerTooLarge, networkError, type RequestFacts } from "../errors/transport.ts";
import type { RequestBody } from "../platform/contract.ts";
import { piecesOf } from "../platform/pieces.ts";
import type { Answer } from "./answer.ts";
import { withDeadline } from "./deadline.ts";

/** One request to a service of the network. */
export interface HttpRequest {
  method: "GET" | "POST" | "PUT" | "DELETE";
  /** Base URL of the service. */
  base: string;
  /** Path from the base, beginning with a slash; its variable parts already percent-encoded. */
  path: string;
  query?: Record<string, string>;
  bearer?: string | undefined;
  headers?: Record<string, string>;
  /** Sent as JSON. */
  json?: unknown;
  /** Key node the request goes to, for errors. */
  node?: number;
  signal: AbortSignal | undefined;
  /** Time limit in milliseconds, from the first byte sent to the last byte read. */
  timeoutMs: number;
}

/**
 * Sends a request and gives the whole answer, whatever its status.
 *
 * @throws `ABORTED`, `TIMEOUT`, `NETWORK`, `ANSWER_TOO_LARGE`
 */
export function exchange(request: HttpRequest, body?: RequestBody): Promise<Answer> {
  const facts = factsOf(request);
  return withDeadline(facts, request, async (signal) => {
    try {
      const onSent = body?.onSent;
      const response = await axios.request<unknown>({
        ...commonConfig(request, signal),
        data: body ? body.data : request.json === undefined ? undefined : JSON.stringify(request.json),
        headers: {
          ...(request.json === undefined ? {} : { "Content-Type": "application/json" }),
          ...commonHeaders(request),
          ...body?.headers,
        },
        // In a page only XMLHttpRequest tells how much of a form is sent; fetch keeps to the size limit.
        adapter: body ? ["http", "xhr"] : ["http", "fetch"],
        responseType: "text",
        transformRequest: [(data: unknown) => data],
        transformResponse: [],
        maxContentLength: MAX_JSON_BYTES,
        ...(onSent ? { onUploadProgress: ({ loaded }) => onSent(loaded) } : {}),
      });
      letGo(response.request);
      const text = typeof response.data === "string" ? response.data : "";
      if (text.length > MAX_JSON_BYTES) throw answerTooLarge(facts, MAX_JSON_BYTES);
      return {
        status: response.status,
        text,
        retryAfterSeconds: retryAfterSeconds(response.headers["retry-after"]),
        facts,
        secrets: secretsOf(request),
      };
    } catch (error) {
      throw translate(facts, error);
    }
  });
}

/** An answer whose bytes come piece after piece. */
export interface IncomingBody {
  status: number;
  facts: RequestFacts;
  /** Bytes to come, where the service says so. */
  size: number | undefined;
  pieces: AsyncIterable<Uint8Array>;
}

/**
 * Sends a request and lets `read` take the answer as it arrives. Time limit and signal hold until `read`
 * is done, and the connection is let go whatever happens.
 *
 * @throws `ABORTED`, `TIMEOUT`, `NETWORK` (also when the answer is cut), and what `read` throws
 */
export function receive<T>(request: HttpRequest, read: (body: IncomingBody) => Promise<T>): Promise<T> {
  const facts = factsOf(request);
  return withDeadline(facts, request, async (signal) => {
    const response = await axios
      .request<AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>>({
        ...commonConfig(request, signal),
        headers: { ...commonHeaders(request), "Accept-Encoding": "identity" },
        adapter: ["http", "fetch"],
        responseType: "stream",
      })
      .catch((error: unknown) => {
        throw translate(facts, error);
      });
    const length = Number(response.headers["content-length"] ?? Number.NaN);
    const size = Number.isSafeInteger(length) ? length : undefined;
    try {
      return await read({ status: response.status, facts, size, pieces: incoming(facts, response.data) });
    } finally {
      letGo(response.data);
    }
  });
}

/**
 * Ends what `read` did not take to its end, or a request whose answer came before its body was sent: in
 * Node neither ends by itself.
 */
function letGo(open: unknown): void {
  if (typeof open === "object" && open !== null && "destroy" in open && typeof open.destroy === "function") {
    const done = "writableFinished" in open && open.writableFinished;
    if (!done) open.destroy();
  }
}

async function* incoming(
  facts: RequestFacts,
  stream: AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* piecesOf(stream);
  } catch (error) {
    throw translate(facts, error);
  }
}

function commonConfig(request: HttpRequest, signal: AbortSignal) {
  const query = request.query === undefined ? "" : `?${new URLSearchParams(request.query)}`;
  return {
    method: request.method,
    url: `${baseOf(request)}${request.path}${query}`,
    signal,
    validateStatus: () => true,
    maxBodyLength: Number.POSITIVE_INFINITY,
    // Following a redirect of a body would mean holding all of it, to send it again.
    maxRedirects: request.method === "GET" ? 5 : 0,
  };
}

function commonHeaders(request: HttpRequest): Record<string, string> {
  return {
    ...(request.bearer === undefined ? {} : { Authorization: `Bearer ${request.bearer}` }),
    ...request.headers,
  };
}

const SECRET_FIELDS = new Set(["signature", "signedMessage", "refreshToken", "key", "index"]);

/** A shorter one, such as the index of a `gf256` shard, says nothing, and would tear words apart. */
const SHORTEST_SECRET = 8;

/** What a service must not make us print by repeating it. */
function secretsOf({ bearer, json }: HttpRequest): string[] {
  const secrets: string[] = bearer === undefined ? [] : [bearer];
  JSON.stringify(json, (field, value: unknown) => {
    if (SECRET_FIELDS.has(field) && typeof value === "string" && value.length >= SHORTEST_SECRET) secrets.push(value);
    return value;
  });
  return secrets;
}

function baseOf(request: HttpRequest): string {
  return request.base.replace(/\/+$/, "");
}

function factsOf(request: HttpRequest): RequestFacts {
  return {
    method: request.method,
    url: `${baseOf(request)}${request.path}`.replace(/\/\/[^/@]*@/, "//"),
    ...(request.node === undefined ? {} : { node: request.node }),
  };
}

function translate(facts: RequestFacts, error: unknown): unknown {
  if (error instanceof KeeplightError) return error;
  if (error instanceof Error && /^maxContentLength size of/.test(error.message)) {
    return answerTooLarge(facts, MAX_JSON_BYTES);
  }
  return networkError(facts, error);
}

function retryAfterSeconds(header: unknown): number | undefined {
  if (typeof header !== "string" || header === "") return undefined;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - Date.now()) / 1000));
}
