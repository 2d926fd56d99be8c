import { createMultipartBody, type Parts } from "../multipart.ts";
import type { OpenBody, UploadBody, UploadBodyOptions } from "../types.ts";
import { yieldToMain } from "./blocks.ts";

/** Builds a multipart body while the browser sends it. */
export function streamedBody(parts: Parts, { onSent }: Partial<UploadBodyOptions> = {}): UploadBody {
  const stop = new AbortController();
  const body = createMultipartBody(parts, { signal: stop.signal, onSent });
  const { chunks } = body;

  /** Generates each chunk when the browser has taken the previous one; the peer is expected to take it then. */
  const open: OpenBody = (watch, onFailure) =>
    new ReadableStream(
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

  return {
    data: open,
    headers: { "Content-Type": body.contentType },
    complete: body.isComplete,
    failure: async () => body.failure(),
    isUnread: () => !body.isStarted(),
    async dispose() {
      stop.abort();
      await chunks.return(undefined);
    },
  };
}
