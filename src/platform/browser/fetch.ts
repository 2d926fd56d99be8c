import type { StackRequest, StackResponse, TransferWatch } from "../types.ts";
import { yieldToMain } from "./yield-to-main.ts";

/** Sends a request by fetch. A form counts as sent once the response begins; chunks are sent while they are generated. */
export async function sendByFetch(request: StackRequest): Promise<StackResponse> {
  const { method, url, headers, body, signal, watch } = request;
  const made = typeof body === "object" ? body : undefined;
  made?.onHandOver?.();
  // Browsers report a stream that fails as an error that nobody has handled, so its request is aborted instead.
  const end = new AbortController();
  signal.addEventListener("abort", () => end.abort(), { once: true });
  if (signal.aborted) end.abort();
  const init = { method, headers: { ...headers, ...made?.headers }, signal: end.signal };
  const data = made?.data ?? (body as string | undefined) ?? null;
  const response = await fetch(
    url,
    isChunks(data)
      ? ({ ...init, body: toStream(data, watch, () => end.abort()), duplex: "half" } as RequestInit)
      : { ...init, body: data as FormData | string | null },
  );
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

function isChunks(data: unknown): data is AsyncGenerator<Uint8Array> {
  return typeof data === "object" && data !== null && Symbol.asyncIterator in data;
}

/** Generates each chunk when the browser has taken the previous one; the peer is expected to take it then. */
function toStream(
  chunks: AsyncGenerator<Uint8Array>,
  watch: TransferWatch,
  onFailure: () => void,
): ReadableStream<Uint8Array> {
  return new ReadableStream(
    {
      async pull(controller) {
        watch.rest();
        await yieldToMain();
        try {
          const { done, value } = await chunks.next();
          if (done) return controller.close();
          controller.enqueue(value);
          watch.expect();
        } catch {
          onFailure();
        }
      },
      async cancel() {
        await chunks.return(undefined);
      },
    },
    // Nothing is generated before a connection that can send it exists.
    { highWaterMark: 0 },
  );
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
