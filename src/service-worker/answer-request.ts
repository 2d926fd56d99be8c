import type { OpenFile } from "../index.ts";
import type { MediaHead, MediaPart, MediaRequest, NextPart } from "./messages.ts";

/** Answers one request from a file of this page, part by part as the Service Worker requests them. */
export async function answerRequest(
  { method, range }: MediaRequest,
  port: MessagePort,
  options: { file: Pick<OpenFile, "response">; onError(error: unknown): void; signal: AbortSignal },
): Promise<void> {
  const { file, onError, signal } = options;
  const send = (message: MediaHead | MediaPart, transfer: Transferable[] = []) => port.postMessage(message, transfer);

  function fail(error: unknown): void {
    send({ failed: String(error) });
    stop();
    if (!signal.aborted) onError(error);
  }

  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  function stop(): void {
    signal.removeEventListener("abort", stop);
    port.close();
    reader?.cancel().catch(() => undefined);
  }
  signal.addEventListener("abort", stop, { once: true });

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

  try {
    const headers = new Headers(range === null ? {} : { Range: range });
    const response = await file.response({ method, headers });
    reader = response.body?.getReader();
    if (signal.aborted) return stop();
    port.onmessage = ({ data }: MessageEvent<NextPart>) => (data === "next" ? sendPart() : stop());
    send({ status: response.status, headers: [...response.headers], hasBody: reader !== undefined });
    if (!reader) stop();
  } catch (error) {
    fail(error);
  }
}
