import { type ErrorCode, KeeplightError } from "keeplight";
import { assertSuccess, checkCid, isOptions, parseResponse, refusalStatus } from "keeplight/parts";
import { assertHeaders, type ResolvedUploader } from "./options.ts";
import { type EndpointResponse, sendRequest } from "./send-request.ts";

/** The endpoint of one's own server, which takes uploads by tus 1.0.0. Each call is one request. */
export type Endpoint = ReturnType<typeof createEndpoint>;

/** What the endpoint says of an upload. */
type Stored = { cid: string } | { retryAfterMs: number };

/** Limit of each request, as of the SDK's transfers, in milliseconds; a request that nothing moves of ends earlier. */
const TRANSFER_TIMEOUT_MS = 7_200_000;

/** Before the endpoint is asked again, if it does not say when. */
const ASK_AGAIN_MS = 2_000;

const GONE = new Set([404, 410]);

const ID = /^[\w.~-]{1,200}$/;

/**
 * Creates the requests of an endpoint. Each throws `ABORTED`, `NETWORK`, `TIMEOUT`, what the endpoint refuses a request with, and
 * `INVALID_RESPONSE`.
 */
export function createEndpoint(options: ResolvedUploader) {
  const { endpoint, headers, withCredentials, idleTimeoutMs, timeoutMs = TRANSFER_TIMEOUT_MS } = options;

  async function request(
    method: Parameters<typeof sendRequest>[0]["method"],
    url: string,
    {
      more,
      ...rest
    }: { signal: AbortSignal; more?: Record<string, string> } & Pick<
      Parameters<typeof sendRequest>[0],
      "body" | "onSent"
    >,
  ): Promise<EndpointResponse> {
    const own = typeof headers === "function" ? assertHeaders(await headers(), "headers") : headers;
    const all = { ...own, "Tus-Resumable": "1.0.0", ...more };
    return sendRequest({ method, url, headers: all, withCredentials, timeoutMs, idleTimeoutMs, ...rest });
  }

  return {
    /**
     * Creates an upload; returns its URL.
     *
     * @param size - in bytes
     * @param metadata - what the file is called, and so on
     */
    async create(size: number, metadata: Readonly<Record<string, string>>, signal: AbortSignal): Promise<string> {
      const encoded = Object.entries(metadata).map(([name, value]) => `${name} ${encodeBase64(value)}`);
      const more = { "Upload-Length": String(size), "Upload-Metadata": encoded.join(",") };
      const response = await request("POST", endpoint, { signal, more });
      assertAccepted(response);
      // A server behind a proxy may not know its own address.
      const id = String(response.headers["location"] ?? "").match(/([^/]*)\/?$/)?.[1] ?? "";
      if (!ID.test(id)) throw invalidResponse(response, "The endpoint does not name the upload that it created");
      return `${endpoint}/${id}`;
    },

    /** Returns how many bytes of an upload have arrived; `undefined` if there is no such upload of this size. */
    async getOffset(url: string, size: number, signal: AbortSignal): Promise<number | undefined> {
      const response = await request("HEAD", url, { signal });
      if (GONE.has(response.status)) return undefined;
      assertAccepted(response);
      const length = readNumber(response, "upload-length");
      return length === size ? readNumber(response, "upload-offset", 0, size) : undefined;
    },

    /**
     * Sends bytes that follow those that have arrived.
     *
     * @returns how many have arrived then; `undefined` if there is no such upload
     */
    async append(
      url: string,
      offset: number,
      body: Uint8Array<ArrayBuffer>,
      { signal, onSent }: { signal: AbortSignal; onSent(bytes: number): void },
    ): Promise<number | undefined> {
      const more = { "Upload-Offset": String(offset), "Content-Type": "application/offset+octet-stream" };
      const response = await request("PATCH", url, { signal, more, body, onSent });
      if (GONE.has(response.status)) return undefined;
      assertAccepted(response);
      return readNumber(response, "upload-offset", offset + 1, offset + body.length);
    },

    /** Returns where an upload is stored, or when to ask again; `undefined` if there is no such upload. */
    async getStored(url: string, signal: AbortSignal): Promise<Stored | undefined> {
      const response = await request("GET", url, { signal });
      const { status, retryAfterSeconds } = response;
      if (GONE.has(status)) return undefined;
      assertAccepted(response);
      if (status === 202) {
        return { retryAfterMs: retryAfterSeconds === undefined ? ASK_AGAIN_MS : retryAfterSeconds * 1000 };
      }
      const { Hash } = Object(parseResponse(response)) as { Hash?: unknown };
      try {
        return { cid: checkCid(Hash as string) };
      } catch {
        throw invalidResponse(response, "The endpoint does not say where the file is stored");
      }
    },

    /** Removes an upload; returns whether it did: not one that is complete. */
    async remove(url: string, signal: AbortSignal): Promise<boolean> {
      const { status } = await request("DELETE", url, { signal });
      return status >= 200 && status < 300;
    },
  };
}

/** Throws the error in `{"error": {"code", "message", "details"}}`, which the endpoint refuses requests with. */
function assertAccepted(response: EndpointResponse): void {
  const { status, text, facts } = response;
  const { code, message, details } = status < 400 ? {} : parseError(text);
  if (typeof code === "string" && Object.hasOwn(refusalStatus, code) && typeof message === "string") {
    const known = { ...(isOptions(details) ? details : {}), ...facts, status };
    throw new KeeplightError(code as ErrorCode, message, { details: known as never });
  }
  assertSuccess(response, "request");
}

function parseError(text: string): Record<string, unknown> {
  try {
    return Object((JSON.parse(text) as { error?: unknown } | null)?.error) as Record<string, unknown>;
  } catch {
    return {};
  }
}

function readNumber(response: EndpointResponse, name: string, min = 0, max = Number.MAX_SAFE_INTEGER): number {
  const header = response.headers[name];
  const value = typeof header === "string" && /^\d+$/.test(header) ? Number(header) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw invalidResponse(response, `The endpoint's ${name} is not from ${min} to ${max}`);
}

function invalidResponse({ facts }: EndpointResponse, message: string): KeeplightError {
  return new KeeplightError("INVALID_RESPONSE", message, { details: { ...facts } });
}

function encodeBase64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}
