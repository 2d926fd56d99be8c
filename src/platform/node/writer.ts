import type { FileHandle } from "node:fs/promises";

/** Bytes of a block: large ones take the fewest calls of the system. */
const BLOCK_BYTES = 1024 * 1024;

/** Writes chunks to the end of a file, ahead of the disk: the next chunks arrive while a block is being written. */
export interface Writer {
  /**
   * Waits only for the block before this one. The chunk must not be changed afterwards.
   *
   * @throws the system's error, also that of an earlier chunk
   */
  write(chunk: Uint8Array): Promise<void>;
  /** Resolves once everything is written; throws as `write`. */
  flush(): Promise<void>;
  /** Returns how many bytes are written. */
  written(): number;
}

export function createWriter(handle: FileHandle): Writer {
  let block: Uint8Array[] = [];
  let bytes = 0;
  let written = 0;
  let writing = Promise.resolve();

  async function writeBlock(chunks: readonly Uint8Array[], size: number): Promise<void> {
    const { bytesWritten } = await handle.writev(chunks);
    written += bytesWritten;
    if (bytesWritten === size) return;
    const all = Buffer.concat(chunks);
    for (let at = bytesWritten; at < size; ) {
      const { bytesWritten } = await handle.write(all, at, size - at);
      written += bytesWritten;
      at += bytesWritten;
    }
  }

  /** Starts to write what has arrived, once the block before it is written. */
  async function start(): Promise<void> {
    await writing;
    if (bytes === 0) return;
    writing = writeBlock(block, bytes);
    // The next call throws it.
    writing.catch(() => undefined);
    block = [];
    bytes = 0;
  }

  return {
    async write(chunk) {
      block.push(chunk);
      bytes += chunk.length;
      if (bytes >= BLOCK_BYTES) await start();
    },
    async flush() {
      await start();
      await writing;
    },
    written: () => written,
  };
}
