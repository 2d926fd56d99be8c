import { adapter as exchangeAdapter } from "#axios/exchange";
import { freshConnection } from "#platform";
import { MAX_JSON_BYTES } from "../config/limits.ts";
import { KeeplightError } from "../errors/base.ts";
import { answerTooLarge, networkError, type RequestFacts } from "../errors/transport.ts";
import type { FreshConnection, RequestBody } from "../platform/contract.ts";
import type { Answer } from "./answer.ts";
import { withDeadline } from "./deadline.ts";
import { secretsOf } from "./secrets.ts";

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
  /** Goes over a connection of its own and is never repeated: what it does must not be done twice. */
  once?: boolean | undefined;
  /** How long the peer may be silent while a body is transferred, in milliseconds. */
  idleTimeoutMs?: number | undefined;
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
  return withDeadline(facts, request, async (signal, stop, idle) => {
    let oversized = false;
    const onSent = body?.onSent;
    try {
      // What a body is made of is read once.
      const once = request.once || body !== undefined;
      const response = await retryStale(once, (connection) =>
        exchangeAdapter({
          ...commonConfig(request, signal),
          ...connection,
          data: body ? body.data : request.json === undefined ? undefined : JSON.stringify(request.json),
          headers: {
            ...(request.json === undefined ? {} : { "Content-Type": "application/json" }),
            ...commonHeaders(request),
            ...body?.headers,
          },
          ...(body?.transport ? { transport: body.transport(idle) } : {}),
          responseType: "text",
          maxContentLength: MAX_JSON_BYTES,
          // A page's XMLHttpRequest knows no limit of its own.
          onDownloadProgress({ loaded }) {
            idle.expect();
            if (loaded <= MAX_JSON_BYTES) return;
            oversized = true;
            stop();
          },
          ...(onSent
            ? {
                onUploadProgress({ loaded, total = loaded }) {
                  if (loaded < total) idle.expect();
                  else idle.rest();
                  onSent(loaded);
                },
              }
            : {}),
        }),
      );
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

/**
 * Sends a request over a connection that was kept alive, where there is one. The service may have closed it before the
 * request came in; then a request that may be repeated is sent again over a fresh one, once.
 */
export async function retryStale<T>(
  once: boolean | undefined,
  send: (connection: FreshConnection) => Promise<T>,
): Promise<T> {
  if (once) return send(freshConnection());
  try {
    return await send({});
  } catch (error) {
    if (!isStale(error)) throw error;
    return send(freshConnection());
  }
}

/** Whether a request failed without a response on a connection that was used before. */
function isStale(error: unknown): boolean {
  const { code, request, response } = error as { code?: unknown; request?: NodeRequest; response?: unknown };
  const reused = (request?._currentRequest ?? request)?.reusedSocket === true;
  return reused && response === undefined && (code === "ECONNRESET" || code === "EPIPE");
}

/** Node's own request, or what follows its redirects. */
interface NodeRequest {
  reusedSocket?: boolean;
  _currentRequest?: NodeRequest;
}

/**
 * Ends what `read` did not take to its end, or a request whose answer came before its body was sent: in
 * Node neither ends by itself.
 */
export function letGo(open: unknown): void {
  if (typeof open === "object" && open !== null && "destroy" in open && typeof open.destroy === "function") {
    const done = "writableFinished" in open && open.writableFinished;
    if (!done) open.destroy();
  }
}

export function commonConfig(request: HttpRequest, signal: AbortSignal) {
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

export function commonHeaders(request: HttpRequest): Record<string, string> {
  return {
    ...(request.bearer === undefined ? {} : { Authorization: `Bearer ${request.bearer}` }),
    ...request.headers,
  };
}

function baseOf(request: HttpRequest): string {
  return request.base.replace(/\/+$/, "");
}

export function factsOf(request: HttpRequest): RequestFacts {
  return {
    method: request.method,
    url: withoutCredentials(`${baseOf(request)}${request.path}`),
    ...(request.node === undefined ? {} : { node: request.node }),
  };
}

function withoutCredentials(url: string): string {
  if (!url.includes("@")) return url;
  const parsed = new URL(url);
  parsed.username = "";
  parsed.password = "";
  return parsed.href;
}

export function translate(facts: RequestFacts, error: unknown): unknown {
  if (error instanceof KeeplightError) return error;
  if (error instanceof Error && /^maxContentLength size of/.test(error.message)) {
    return answerTooLarge(facts, MAX_JSON_BYTES);
  }
  return networkError(facts, error);
}

export function retryAfterSeconds(header: unknown): number | undefined {
  if (typeof header !== "string" || header === "") return undefined;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - Date.now()) / 1000));
}
