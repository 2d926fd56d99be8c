import { decryptUntrusted, type Undo } from "../../crypto/decrypt.ts";
import { encryptAgain } from "../../crypto/encrypt-again.ts";
import { isKeeplightError } from "../../errors/base.ts";
import { fill } from "./download.ts";
import type { OutputSink } from "./output.ts";

type Chunks = AsyncIterable<Uint8Array>;

/** How the encrypted file is fetched and where its plaintext goes. */
interface Trial {
  openSink: () => Promise<OutputSink>;
  /** Fetches the file into the sink, through `decrypted`; called once. */
  fetchInto: (sink: OutputSink, decrypted: (file: Chunks) => Chunks) => Promise<void>;
  signal: AbortSignal | undefined;
}

/**
 * Decrypts a file with each of the keys until one proves right, and returns the sink to commit. The file is fetched
 * once: after a wrong key the encrypted file is made of what that key made of it, so that nothing has to be kept beside
 * the output while the first key is tried, which nearly always is right.
 *
 * @throws `CANNOT_DECRYPT` if no key is right; what the keys, the sinks and fetching throw
 */
export async function tryKeys(
  keys: AsyncIterable<string> | Iterable<string>,
  { openSink, fetchInto, signal }: Trial,
): Promise<{ sink: OutputSink; key: string }> {
  let wrong: { sink: OutputSink; undo: Undo } | undefined;
  let failure: unknown;
  try {
    for await (const key of keys) {
      const sink = await openSink();
      const found: { undo?: Undo } = {};
      const decrypted = (file: Chunks) =>
        decryptUntrusted(file, key, (undo) => {
          found.undo = undo;
        });
      try {
        if (wrong) await fill(sink, decrypted(encryptAgain(wrong.sink.reread(), wrong.undo)), signal);
        else await fetchInto(sink, decrypted);
        return { sink, key };
      } catch (error) {
        // What has no tag is no encrypted file, with any key.
        if (!found.undo || !isKeeplightError(error) || error.code !== "CANNOT_DECRYPT") {
          await sink.abandon();
          throw error;
        }
        failure ??= error;
        await wrong?.sink.abandon();
        wrong = { sink, undo: found.undo };
      }
    }
    throw failure;
  } finally {
    await wrong?.sink.abandon();
  }
}
