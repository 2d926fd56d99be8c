import { onAbort } from "../../base/async/abort.ts";
import type { OpenBody, StackRequest, StackResponse } from "../types.ts";

/** Some edge servers, which have no such cache, refuse the option. */
const hasCacheOption = typeof Request !== "undefined" && "cache" in Request.prototype;
const cacheModes = { any: "default", reload: "reload", none: "no-store" } as const;

/** Sends a request by fetch. A form counts as sent once the response begins. */
export async function sendByFetch(request: StackRequest): Promise<StackResponse> {
  const { method, url, headers, body, signal, cache, watch } = request;
  const made = typeof body === "object" ? body : undefined;
  made?.onHandOver?.();
  const data = (made?.data ?? body ?? null) as OpenBody | FormData | string | null;
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
  if (made?.onSent && data instanceof FormData) reportLater(made.onSent, measureForm(data));
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

/** The runtime reports an error of a listener, as for events; it does not affect the request. */
function reportLater(onSent: (bytes: number) => void, bytes: number): void {
  try {
    onSent(bytes);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

/** Counts the bytes of a form, with a single one for the framing of its files. */
function measureForm(form: FormData): number {
  let size = 1;
  for (const value of form.values()) if (value instanceof Blob) size += value.size;
  return size;
}
