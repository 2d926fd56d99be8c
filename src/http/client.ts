import { adapter as exchangeAdapter } from "#axios/exchange";
import { adapter as receiveAdapter } from "#axios/receive";
import { MAX_JSON_BYTES } from "../config/limits.ts";
import { KeeplightError } from "../errors/base.ts";
import { answerTooLarge, networkError, type RequestFacts } from "../errors/transport.ts";
import type { RequestBody } from "../platform/contract.ts";
import { piecesOf } from "../platform/pieces.ts";
import { type Answer, throwStatus } from "./answer.ts";
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
  return withDeadline(facts, request, async (signal, stop) => {
    let oversized = false;
    const onSent = body?.onSent;
    try {
      const response = await exchangeAdapter({
        ...commonConfig(request, signal),
        data: body ? body.data : request.json === undefined ? undefined : JSON.stringify(request.json),
        headers: {
          ...(request.json === undefined ? {} : { "Content-Type": "application/json" }),
          ...commonHeaders(request),
          ...body?.headers,
        },
        ...(body?.transport ? { transport: body.transport } : {}),
        responseType: "text",
        maxContentLength: MAX_JSON_BYTES,
        // A page's XMLHttpRequest knows no limit of its own.
        onDownloadProgress({ loaded }) {
          if (loaded <= MAX_JSON_BYTES) return;
          oversized = true;
          stop();
        },
        ...(onSent ? { onUploadProgress: ({ loaded }) => onSent(loaded) } : {}),
      });
      letGo(response.request);
      return {
        status: response.status,
        text: typeof response.data === "string" ? response.data : "",
        headers: response.headers,
        retryAfterSeconds: retryAfterSeconds(response.headers["retry-after"]),
        facts,
        secrets: secretsOf(request),
      };
    } catch (error) {
      if (error instanceof Error && "request" in error) body?.onFailure?.(error.request);
      throw oversized ? answerTooLarge(facts, MAX_JSON_BYTES) : translate(facts, error);
    }
  });
}

/** An answer whose bytes come piece after piece. */
export interface IncomingBody {
  /** Bytes to come, where the service says so. */
  size: number | undefined;
  pieces: AsyncIterable<Uint8Array>;
}

const REFUSAL_CHARACTERS = 64 * 1024;

/**
 * Sends a request and lets `read` take the answer as it arrives. Time limit and signal hold until `read`
 * is done, and the connection is let go whatever happens.
 *
 * @throws `HTTP_STATUS`, `ABORTED`, `TIMEOUT`, `NETWORK` (also when the answer is cut), and what `read` throws
 */
export function receive<T>(request: HttpRequest, read: (body: IncomingBody) => Promise<T>): Promise<T> {
  const facts = factsOf(request);
  return withDeadline(facts, request, async (signal) => {
    const { status, headers, data } = await receiveAdapter({
      ...commonConfig(request, signal),
      headers: { ...commonHeaders(request), "Accept-Encoding": "identity" },
      responseType: "stream",
      maxContentLength: -1,
    }).catch((error: unknown) => {
      throw translate(facts, error);
    });
    const pieces = incoming(facts, data as AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>);
    try {
      if (status < 200 || status >= 300) {
        const retryAfter = retryAfterSeconds(headers["retry-after"]);
        const text = await beginning(pieces);
        throwStatus({ status, text, headers, retryAfterSeconds: retryAfter, facts, secrets: [] });
      }
      const length = Number(headers["content-length"] ?? Number.NaN);
      return await read({ size: Number.isSafeInteger(length) ? length : undefined, pieces });
    } finally {
      letGo(data);
    }
  });
}

/** As much of a refusal as its message may take. */
async function beginning(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const piece of pieces) {
    text += decoder.decode(piece, { stream: true });
    if (text.length > REFUSAL_CHARACTERS) break;
  }
  return text;
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
  const url = `${baseOf(request)}${request.path}${query}`;
  return {
    method: request.method,
    // Credentials in the URL would take the bearer's place.
    url: request.bearer === undefined ? url : withoutCredentials(url),
    signal,
    validateStatus: () => true,
    // None; any number would send a body through one more stream, to be counted.
    maxBodyLength: -1,
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
  // A one-time token is an address and a secret.
  const secrets = bearer === undefined ? [] : [bearer, ...bearer.split("$").slice(1)];
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
    url: withoutCredentials(`${baseOf(request)}${request.path}`),
    ...(request.node === undefined ? {} : { node: request.node }),
  };
}

function withoutCredentials(url: string): string {
  return url.replace(/\/\/[^/@]*@/, "//");
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
