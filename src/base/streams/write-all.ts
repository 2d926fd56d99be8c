import { aborted } from "../errors/transport.ts";
import { toChunks } from "./chunks.ts";

/** Reads a stream to its end, only for what that does. An abort rejects at once, as in {@link writeAll}. */
export async function readAll(chunks: AsyncIterable<Uint8Array>, signal: AbortSignal | undefined): Promise<void> {
  for await (const _ of toChunks(chunks, signal));
  if (signal?.aborted) throw aborted(signal.reason);
}

/** Writes all chunks to a sink. An abort rejects at once, even while their source is busy. */
export async function writeAll(
  sink: { write(chunk: Uint8Array): Promise<void> },
  chunks: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): Promise<void> {
  for await (const chunk of toChunks(chunks, signal)) await sink.write(chunk);
  if (signal?.aborted) throw aborted(signal.reason);
}
