import { KeeplightError } from "keeplight";
import { type assertSuccess, limitTime, onAbort, throwIfAborted } from "keeplight/parts";

/** One request to the endpoint. */
interface EndpointRequest {
  method: "POST" | "HEAD" | "PATCH" | "GET" | "DELETE";
  url: string;
  headers: Readonly<Record<string, string>>;
  withCredentials: boolean;
  /** Bytes of a file, which are copied at once. */
  body?: Uint8Array<ArrayBuffer> | undefined;
  /** Receives how many of them were sent. */
  onSent?: ((bytes: number) => void) | undefined;
  signal: AbortSignal;
  /** Limit for the whole request, in milliseconds. */
  timeoutMs: number;
  /** How long nothing may move, in milliseconds. */
  idleTimeoutMs: number;
}

export type EndpointResponse = Parameters<typeof assertSuccess>[0];

/** Largest response that is read, in bytes: what the endpoint says is short. */
const MAX_RESPONSE_BYTES = 64 * 1024;

/**
 * Sends a request by XMLHttpRequest: fetch does not report how much of a body is sent.
 *
 * @throws `ABORTED`, `NETWORK`, `TIMEOUT`, `RESPONSE_TOO_LARGE`
 */
export async function sendRequest(request: EndpointRequest): Promise<EndpointResponse> {
  const { method, url, headers, body, signal } = request;
  throwIfAborted(signal);
  const facts = { method, url };
  const xhr = new XMLHttpRequest();
  let failure = new KeeplightError("NETWORK", "Network error", { details: facts }) as KeeplightError;
  const fail = (error: KeeplightError) => {
    failure = error;
    xhr.abort();
  };
  const time = limitTime(facts, request, fail);
  const removeCallback = onAbort(signal, () => xhr.abort());
  try {
    await new Promise<void>((resolve, reject) => {
      xhr.open(method, url);
      xhr.withCredentials = request.withCredentials;
      for (const [name, value] of Object.entries(headers)) xhr.setRequestHeader(name, value);
      xhr.upload.onprogress = ({ loaded }) => {
        time.expect();
        request.onSent?.(loaded);
      };
      xhr.onprogress = ({ loaded }) => {
        time.expect();
        if (loaded > MAX_RESPONSE_BYTES) fail(responseTooLarge(facts));
      };
      xhr.onload = () => resolve();
      xhr.onerror = () => reject(failure);
      xhr.onabort = () => reject(failure);
      xhr.send(body);
      time.expect();
    });
  } catch (error) {
    throwIfAborted(signal);
    throw error;
  } finally {
    time.end();
    removeCallback();
  }
  return {
    status: xhr.status,
    text: xhr.responseText,
    headers: readHeaders(xhr),
    endIsProven: true,
    retryAfterSeconds: readSeconds(xhr.getResponseHeader("Retry-After")),
    facts,
    // Without the scheme, too, as in `Bearer …`.
    secrets: Object.values(headers).flatMap((value) => [value, value.split(" ").at(-1) ?? ""]),
  };
}

function responseTooLarge(facts: EndpointResponse["facts"]): KeeplightError {
  const details = { ...facts, limitBytes: MAX_RESPONSE_BYTES };
  return new KeeplightError("RESPONSE_TOO_LARGE", `The response is larger than ${MAX_RESPONSE_BYTES} bytes`, {
    details,
  });
}

function readHeaders(xhr: XMLHttpRequest): Record<string, string> {
  const lines = xhr.getAllResponseHeaders().trim().split("\r\n").filter(Boolean);
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(":");
      return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()];
    }),
  );
}

/** Of a number of seconds, not of a date. */
function readSeconds(header: string | null): number | undefined {
  return header !== null && /^\d{1,15}$/.test(header.trim()) ? Number(header) : undefined;
}
