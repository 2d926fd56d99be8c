import { createMultipartBody } from "../multipart-body.ts";
import type { SourceFile, UploadBody } from "../types.ts";

/** Smaller bodies gain nothing: they are stored in memory. */
const MIN_STREAMED_BYTES = 8 * 1024 * 1024;

/**
 * Whether a body is worth being generated while it is sent, and this browser may be able to. Whether the service speaks
 * HTTP/2, which it takes, is known only once a request was tried. Blobs are streamed by the browser itself.
 */
export function canStream(parts: readonly SourceFile[], url: string | undefined): boolean {
  const generated = parts.filter(({ blob }) => !blob);
  const bytes = generated.reduce((sum, { size = Number.POSITIVE_INFINITY }) => sum + size, 0);
  return bytes >= MIN_STREAMED_BYTES && url !== undefined && /^https:/i.test(url) && hasRequestStreams();
}

/** Whether this browser sends streams: others take one for a string, or ignore the member (Fetch Standard, 5.4). */
function hasRequestStreams(): boolean {
  let isDuplexRead = false;
  const init = {
    method: "POST",
    body: new ReadableStream(),
    get duplex() {
      isDuplexRead = true;
      return "half" as const;
    },
  };
  try {
    const { headers } = new Request("https://localhost", init);
    return isDuplexRead && !headers.has("Content-Type");
  } catch {
    return false;
  }
}

/** Builds a multipart body while the browser sends it. */
export function streamedBody(
  parts: readonly SourceFile[],
  { onSent }: { onSent?: (bytes: number) => void },
): UploadBody {
  const stop = new AbortController();
  const body = createMultipartBody(parts, { signal: stop.signal, onSent });
  return {
    data: body.chunks,
    headers: { "Content-Type": body.contentType },
    complete: body.isComplete,
    failure: async () => body.failure(),
    isUnread: () => !body.isStarted(),
    async dispose() {
      stop.abort();
      await body.chunks.return(undefined);
    },
  };
}
