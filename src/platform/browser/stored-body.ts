import { onAbort } from "../../base/async/abort.ts";
import { sourceChanged, sourceUnreadable } from "../../base/errors/source.ts";
import { aborted } from "../../base/errors/transport.ts";
import type { SourceFile, UploadBody } from "../types.ts";
import { type TemporaryBlob, temporaryBlob } from "./temporary-blob.ts";

/**
 * Builds a form of Blobs, which the browser streams by itself. Bytes that are not a Blob yet (streams, files being
 * encrypted) are stored first: only over HTTP/2, and only some browsers, send a body while it is generated.
 */
export async function storedBody(
  parts: readonly SourceFile[],
  options: { signal: AbortSignal | undefined; onPrepared?: (bytes: number) => void; onSent?: (bytes: number) => void },
): Promise<UploadBody> {
  const form = new FormData();
  const kept: TemporaryBlob[] = [];
  let prepared = 0;

  async function dispose(): Promise<void> {
    await Promise.all(kept.map(({ discard }) => discard()));
  }

  try {
    for (const part of parts) {
      const blob = part.blob ?? (await keep(part));
      form.append("file", blob, part.name);
    }
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
        if (stop.signal.aborted) throw aborted(stop.signal.reason);
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
    data: form,
    headers: {},
    onHandOver() {
      isHandedOver = true;
    },
    onSent(bytes) {
      sent = bytes;
      options.onSent?.(bytes);
    },
    // The last bytes may have been sent unreported: a page is notified now and then, and not once the request has failed.
    complete: () => isHandedOver,
    // The browser counts the framing, too, and does not report its length.
    failure: async () => (sent > size ? undefined : findUnreadable(form)),
    dispose,
  };
}

/** A page learns only that its request failed, not that a Blob is unreadable: its file changed, or the browser lost it. */
async function findUnreadable(form: FormData): Promise<unknown> {
  const failures = await Promise.all(
    form.getAll("file").map(async (file) => {
      if (typeof file === "string") return undefined;
      try {
        await file.slice(Math.max(0, file.size - 1)).arrayBuffer();
        return undefined;
      } catch (error) {
        return sourceUnreadable(file.name, error);
      }
    }),
  );
  return failures.find((failure) => failure !== undefined);
}
