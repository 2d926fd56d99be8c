import type { OpenFile } from "../network/blocks/open-file.ts";
import { onLockReleased } from "./hold-lock.ts";
import type { MediaHead, MediaPart, MediaRequest } from "./messages.ts";

/** Answers one request from a file of this page, part by part as the Service Worker requests them. */
export async function answerRequest(
  { requestId, method, range }: MediaRequest,
  port: MessagePort,
  options: { file: Pick<OpenFile, "response">; onError(error: unknown): void; signal: AbortSignal },
): Promise<void> {
  const { file, onError, signal } = options;
  const over = new AbortController();
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  const send = (message: MediaHead | MediaPart, transfer: Transferable[] = []) => port.postMessage(message, transfer);

  function stop(): void {
    over.abort();
    signal.removeEventListener("abort", stop);
    port.close();
    reader?.cancel().catch(() => undefined);
  }

  function fail(error: unknown): void {
    if (over.signal.aborted) return;
    send({ failed: String(error) });
    stop();
    onError(error);
  }

  async function sendPart(): Promise<void> {
    try {
      const part = await reader?.read();
      if (!part?.value) {
        send({ done: true });
        stop();
        return;
      }
      // A copy: the file may keep these bytes for the next request.
      const bytes = part.value.slice();
      send({ bytes }, [bytes.buffer]);
    } catch (error) {
      fail(error);
    }
  }

  signal.addEventListener("abort", stop, { once: true });
  onLockReleased(requestId, over.signal, stop);
  try {
    const headers = new Headers(range === null ? {} : { Range: range });
    const response = await file.response({ method, headers });
    reader = response.body?.getReader();
    if (over.signal.aborted) return stop();
    port.onmessage = sendPart;
    send({ status: response.status, headers: [...response.headers], hasBody: reader !== undefined });
    if (!reader) stop();
  } catch (error) {
    fail(error);
  }
}
