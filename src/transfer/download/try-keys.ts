import { decryptUntrusted, type Undo } from "../../crypto/decrypt.ts";
import { encryptAgain } from "../../crypto/encrypt-again.ts";
import { isKeeplightError } from "../../errors/base.ts";
import { writeAll } from "./download.ts";
import type { ResultSink } from "./output.ts";

type Chunks = AsyncIterable<Uint8Array>;

/** How to fetch the encrypted file, and the output of its plaintext. */
interface KeyTrial {
  openSink: () => Promise<ResultSink>;
  /** Fetches the file into the sink, through `decryptChunks`; called once. */
  fetchInto: (sink: ResultSink, decryptChunks: (file: Chunks) => Chunks) => Promise<void>;
  signal: AbortSignal | undefined;
}

/**
 * Decrypts a file with each of the keys until one is right, and returns the sink to commit. The file is fetched
 * once: after a wrong key, the encrypted file is restored from the output of that key, so that nothing needs to be kept
 * besides the output while the first key is tried, which is nearly always right.
 *
 * @throws `CANNOT_DECRYPT` if no key is right; what the keys, the sinks and fetching throw
 */
export async function tryKeys(
  keys: AsyncIterable<string> | Iterable<string>,
  { openSink, fetchInto, signal }: KeyTrial,
): Promise<{ sink: ResultSink; key: string }> {
  let wrong: { sink: ResultSink; undo: Undo } | undefined;
  let failure: unknown;
  try {
    for await (const key of keys) {
      const sink = await openSink();
      const output: { undo?: Undo } = {};
      const decryptChunks = (file: Chunks) =>
        decryptUntrusted(file, key, (undo) => {
          output.undo = undo;
        });
      try {
        if (wrong) await writeAll(sink, decryptChunks(encryptAgain(wrong.sink.reread(), wrong.undo)), signal);
        else await fetchInto(sink, decryptChunks);
        return { sink, key };
      } catch (error) {
        // Without a tag it is not an encrypted file, with any key.
        if (!output.undo || !isKeeplightError(error) || error.code !== "CANNOT_DECRYPT") {
          await sink.abandon();
          throw error;
        }
        failure ??= error;
        await wrong?.sink.abandon();
        wrong = { sink, undo: output.undo };
      }
    }
    throw failure;
  } finally {
    await wrong?.sink.abandon();
  }
}
