import type { StackRequest, StackResponse } from "../types.ts";

/** Sends a request by fetch. A form counts as sent when its request ends, whether it succeeds or not: all of it may be. */
export async function sendByFetch(request: StackRequest): Promise<StackResponse> {
  const { method, url, headers, body, signal } = request;
  const form = typeof body === "object" ? body : undefined;
  try {
    const response = await fetch(url, {
      method,
      headers: { ...headers, ...form?.headers },
      body: typeof body === "object" ? (body.data as FormData) : (body ?? null),
      signal,
    });
    const length = response.headers.get("content-length");
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      chunks: response.body ?? new Blob().stream(),
      size: length === null ? undefined : Number(length),
      // How a body is framed only the browser knows; it fails where less arrives than was announced.
      endIsProven: true,
      // The signal fires at the end of every request.
      close() {},
    };
  } finally {
    if (form?.onSent) reportLater(form.onSent, sizeOf(form.data as FormData));
  }
}

/** What a listener throws is reported by the runtime, as it is for events, and does not become the outcome. */
function reportLater(onSent: (bytes: number) => void, bytes: number): void {
  try {
    onSent(bytes);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

/** Bytes of a form, a single one standing for the framing of its files. */
function sizeOf(form: FormData): number {
  let size = 1;
  for (const value of form.values()) if (value instanceof Blob) size += value.size;
  return size;
}
