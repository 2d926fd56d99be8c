import { onAbort, throwIfAborted } from "../../base/async/abort.ts";
import { sourceChanged, sourceUnreadable } from "../../base/errors/input.ts";
import type { SourceFile, UploadBody, UploadBodyOptions } from "../types.ts";
import { type TemporaryBlob, temporaryBlob } from "./temporary-blob.ts";

/**
 * Whether bytes that are not a Blob may have to be prepared as a whole before the first one is sent: unless the browser can
 * send a body while it is generated.
 */
export const preparesBody: boolean = true;

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

/**
 * Builds a multipart body (RFC 7578) of one `file` field per part: one that is generated while it is sent, where that is
 * possible, or one that is stored first.
 */
export async function uploadBody(parts: readonly SourceFile[], options: UploadBodyOptions): Promise<UploadBody> {
  if (mayStream(parts, options.streamTo) && hasRequestStreams()) {
    // Service Workers, and pages whose site was changed meanwhile, cannot load it.
    const streams = await import("./streamed-body.ts").catch(() => undefined);
    if (streams) return streams.streamedBody(parts, options);
  }
  const { blobs, ...body } = await storedBody(parts, options);
  const form = new FormData();
  for (const { blob, name } of blobs) form.append("file", blob, name);
  return { data: form, headers: {}, ...body };
}

/** Builds a body of the bytes of one file: a Blob, as pages cannot announce how long a generated body is. */
export async function rawBody(file: SourceFile, options: UploadBodyOptions): Promise<UploadBody> {
  const { blobs, ...body } = await storedBody([file], options);
  return { data: blobs[0]?.blob, headers: {}, ...body };
}

/**
 * Builds a multipart body of parts that become known while it is sent; its length is not announced. For edge servers: pages
 * relay nothing.
 */
export async function relayBody(parts: (signal: AbortSignal) => AsyncIterable<SourceFile>): Promise<UploadBody> {
  const { streamedBody } = await import("./streamed-body.ts");
  // What passes through cannot be stored and sent again.
  const { isUnread: _, ...body } = streamedBody(parts);
  return body;
}

/**
 * Collects Blobs, which the browser streams by itself. Bytes that are not a Blob yet (streams, files being encrypted) are
 * stored first: only over HTTP/2, and only some browsers, send a body while it is generated.
 */
async function storedBody(parts: readonly SourceFile[], options: UploadBodyOptions) {
  const blobs: { blob: Blob; name: string }[] = [];
  const kept: TemporaryBlob[] = [];
  let prepared = 0;

  const dispose = async () => void (await Promise.all(kept.map(({ discard }) => discard())));

  try {
    for (const part of parts) blobs.push({ blob: part.blob ?? (await keep(part)), name: part.name });
    // Firefox, which sends no streams, sends what it can read, and waits for a response to the rest. Other browsers fail at
    // once: there it would cost half a millisecond a file.
    const unreadable = hasRequestStreams() ? undefined : await findUnreadable(blobs);
    if (unreadable !== undefined) throw unreadable;
  } catch (error) {
    await dispose();
    throw error;
  }

  async function keep(part: SourceFile): Promise<Blob> {
    const stop = new AbortController();
    const removeCallback = onAbort(options.signal, () => stop.abort(options.signal?.reason));
    const sink = await temporaryBlob();
    try {
      let got = 0;
      for await (const chunk of part.open(stop.signal)) {
        throwIfAborted(stop.signal);
        await sink.write(chunk);
        got += chunk.length;
        options.onPrepared?.(prepared + got);
      }
      if (part.size !== undefined && got !== part.size) throw sourceChanged(part.name, part.size, got);
      prepared += got;
      const temporary = await sink.commit();
      kept.push(temporary);
      return temporary.blob;
    } catch (error) {
      await sink.abandon();
      throw error;
    } finally {
      removeCallback();
    }
  }

  const size = parts.reduce((sum, part) => sum + (part.size ?? 0), 0);
  let sent = 0;
  let isHandedOver = false;
  return {
    blobs,
    onHandOver() {
      isHandedOver = true;
    },
    onSent(bytes: number) {
      sent = bytes;
      options.onSent?.(bytes);
    },
    // The last bytes may have been sent unreported: a page is notified now and then, and not once the request has failed.
    complete: () => isHandedOver,
    // Of a form, the browser counts the framing, too, and does not report its length.
    failure: async () => (sent > size ? undefined : findUnreadable(blobs)),
    dispose,
  } satisfies Partial<UploadBody> & { blobs: unknown };
}

/** A page learns only that its request failed, not that a Blob is unreadable: its file changed, or the browser lost it. */
async function findUnreadable(blobs: readonly { blob: Blob; name: string }[]): Promise<unknown> {
  const failures = await Promise.all(
    blobs.map(({ blob, name }) => {
      const lastByte = blob.slice(Math.max(0, blob.size - 1)).arrayBuffer();
      return lastByte.then(
        () => undefined,
        (error) => sourceUnreadable(name, error),
      );
    }),
  );
  return failures.find(Boolean);
}
