import type { Platform, SourceFile } from "../types.ts";
import { storedBody } from "./stored-body.ts";

/** Unless the browser can send a body while it is generated. */
export const preparesBody = true;

/** Smaller bodies gain nothing: they are stored in memory. */
const MIN_STREAMED_BYTES = 8 * 1024 * 1024;

/**
 * Whether a body is worth being generated while it is sent, and may be. Blobs are streamed by the browser itself. Whether
 * the service speaks HTTP/2, which it takes, is known only once a request was tried.
 */
function mayStream(parts: readonly SourceFile[], url: string | undefined): boolean {
  let bytes = 0;
  for (const { blob, size = MIN_STREAMED_BYTES } of parts) if (!blob) bytes += size;
  return bytes >= MIN_STREAMED_BYTES && url !== undefined && /^https:/i.test(url);
}

/** Builds a body that is generated while it is sent, where that is possible, or one that is stored first. */
export const uploadBody: Platform["uploadBody"] = async (parts, options) => {
  if (mayStream(parts, options.streamTo)) {
    // Service Workers, and pages whose site was changed meanwhile, cannot load it.
    const streams = await import("./streamed-body.ts").catch(() => undefined);
    if (streams?.hasRequestStreams()) return streams.streamedBody(parts, options);
  }
  return storedBody(parts, options);
};

/** For edge servers: pages relay nothing. */
export const relayBody: Platform["relayBody"] = async (parts) => {
  const { streamedBody } = await import("./streamed-body.ts");
  // What passes through cannot be stored and sent again.
  const { isUnread: _, ...body } = streamedBody(parts, {});
  return body;
};
