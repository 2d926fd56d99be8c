import { onAbort } from "../../base/async/abort.ts";
import { responseTooLarge } from "../../base/errors/transport.ts";
import type { OpenBody, RequestBody, StackRequest, StackResponse } from "../types.ts";

/** Whether responses may come from a cache, as in browsers. */
export const keepsResponses: boolean = true;

/**
 * Sends a request. Resolves once the headers of a response have arrived, regardless of its status. Only a GET follows
 * redirects, where the runtime leaves the choice. Throws the runtime's own error.
 *
 * By fetch, except that only XMLHttpRequest reports the upload progress of forms and Blobs; service workers and edge servers have
 * none. Only fetch sends streams.
 */
export function sendRequest(request: StackRequest): Promise<StackResponse> {
  const { body } = request;
  return typeof body === "object" && isStored(body.data) && typeof XMLHttpRequest !== "undefined"
    ? sendByXhr(request, body)
    : sendByFetch(request);
}

function isStored(data: unknown): data is FormData | Blob {
  return data instanceof FormData || data instanceof Blob;
}

/** Some edge servers, which have no such cache, refuse the option. */
const hasCacheOption = typeof Request !== "undefined" && "cache" in Request.prototype;
const cacheModes = { any: "default", reload: "reload", none: "no-store" } as const;

/** Sends a request by fetch. A form or a Blob counts as sent once the response begins. */
export async function sendByFetch(request: StackRequest): Promise<StackResponse> {
  const { method, url, headers, body, signal, cache, watch } = request;
  const made = typeof body === "object" ? body : undefined;
  made?.onHandOver?.();
  const data = (made?.data ?? body ?? null) as OpenBody | FormData | Blob | string | null;
  // Browsers report a stream that fails as an error that nobody has handled, so its request is aborted instead.
  const end = new AbortController();
  const stop = () => end.abort();
  onAbort(signal, stop);
  const response = await fetch(url, {
    method,
    headers: { ...headers, ...made?.headers },
    signal: end.signal,
    ...(hasCacheOption ? { cache: cacheModes[cache] } : {}),
    ...(typeof data === "function" ? { body: data(watch, stop), duplex: "half" } : { body: data }),
  });
  // The runtime reports an error of a listener, as for events; it does not affect the request.
  if (isStored(data)) queueMicrotask(() => made?.onSent?.(data instanceof Blob ? data.size : measureForm(data)));
  const length = response.headers.get("content-length");
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    chunks: response.body ?? new Blob().stream(),
    size: length === null ? undefined : Number(length),
    // Only the browser knows how a body is framed; it fails if less arrives than announced.
    endIsProven: true,
    // The signal fires at the end of every request.
    close() {},
  };
}

/** Counts the bytes of a form, with a single one for the framing of its files. */
function measureForm(form: FormData): number {
  return [...form.values()].reduce((size, value) => size + (value instanceof Blob ? value.size : 0), 1);
}

/** Sends a form or a Blob by XMLHttpRequest, which reports how much of it was sent. Resolves with the whole response. */
function sendByXhr(request: StackRequest, form: RequestBody): Promise<StackResponse> {
  const { method, url, headers, signal, watch, facts, maxBytes = Number.POSITIVE_INFINITY } = request;
  const xhr = new XMLHttpRequest();
  const abort = () => xhr.abort();
  return new Promise<StackResponse>((resolve, reject) => {
    xhr.open(method, url);
    xhr.responseType = "arraybuffer";
    for (const [name, value] of Object.entries({ ...headers, ...form.headers })) xhr.setRequestHeader(name, value);
    xhr.upload.onprogress = ({ loaded, total }) => {
      if (loaded < total) watch.expect();
      else watch.rest();
      form.onSent?.(loaded);
    };
    xhr.onprogress = ({ loaded }) => {
      watch.expect();
      if (loaded <= maxBytes) return;
      reject(responseTooLarge(facts, maxBytes));
      abort();
    };
    xhr.onload = () => resolve(readResponse(xhr));
    xhr.onerror = () => reject(new Error("The browser could not send the request or read the response"));
    xhr.onabort = () => reject(new Error("The request was aborted"));
    form.onHandOver?.();
    xhr.send(form.data as FormData | Blob);
    // It fires at the end of every request.
    onAbort(signal, abort);
  });
}

function readResponse(xhr: XMLHttpRequest): StackResponse {
  const lines = xhr.getAllResponseHeaders().trim().split("\r\n");
  const bytes = xhr.response as ArrayBuffer;
  return {
    status: xhr.status,
    headers: Object.fromEntries(
      lines.map((line) => {
        const [name = "", ...value] = line.split(": ");
        return [name.toLowerCase(), value.join(": ")];
      }),
    ),
    chunks: new Blob([bytes]).stream(),
    size: bytes.byteLength,
    endIsProven: true,
    close() {},
  };
}
