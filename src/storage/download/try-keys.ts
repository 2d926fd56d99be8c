import { throwIfAborted } from "../../base/async/abort.ts";
import { isKeeplightError, type KeeplightError } from "../../base/errors/base.ts";
import { cannotDecrypt } from "../../base/errors/input.ts";
import { holdUntil, writeAll } from "../../base/streams/reading.ts";
import { createDecryption, encryptAgain, type Undo } from "../../formats/crypto/decrypt.ts";
import type { TransferTarget } from "../../network/blocks/output.ts";
import type { ResultSink } from "./output.ts";

/** How much of a file is kept in memory until its key is recovered; then the gateway has to wait. */
const READ_AHEAD_BYTES = 16 * 1024 * 1024;

/** How to fetch the encrypted file, and the output of its plaintext. */
interface KeyTrial {
  openSink: () => Promise<ResultSink>;
  /** Fetches the file; called once. */
  fetchInto: (target: TransferTarget) => Promise<void>;
  /** Ends the fetching. */
  endFetch: () => void;
  signal: AbortSignal | undefined;
}

/**
 * Decrypts a file with each of the keys until one is right, and returns the sink to commit. The file is fetched once,
 * while the first key is being recovered. After a wrong key, the encrypted file is restored from the output of that key,
 * so that nothing needs to be kept besides the output while the first key is tried, which is nearly always right.
 *
 * @throws `CANNOT_DECRYPT` if no key is right; what the keys, the sinks and fetching throw, the keys first
 */
export async function tryKeys(
  keys: AsyncIterable<string> | Iterable<string>,
  { openSink, fetchInto, endFetch, signal }: KeyTrial,
): Promise<{ sink: ResultSink; key: string }> {
  let sink = await openSink();
  const candidates = toGenerator(keys);
  let wrong: ResultSink | undefined;
  try {
    const first = takeFirst(candidates);
    first.catch(endFetch);
    let key = first;
    let refusal = await decryptInto(sink, key, async (target) => {
      try {
        await fetchInto(target);
      } catch (error) {
        await first;
        throw error;
      }
    });
    const firstRefusal = refusal;
    while (refusal) {
      await wrong?.abandon();
      wrong = sink;
      const next = await candidates.next();
      if (next.done) throw firstRefusal?.error;
      key = Promise.resolve(next.value);
      const encrypted = encryptAgain(wrong.reread(), refusal.undo);
      sink = await openSink();
      refusal = await decryptInto(sink, key, async (target) => {
        await writeAll(target, encrypted, signal);
        await target.end();
        throwIfAborted(signal);
      });
    }
    return { sink, key: await key };
  } finally {
    await wrong?.abandon();
    await candidates.return(undefined);
  }
}

async function* toGenerator(keys: AsyncIterable<string> | Iterable<string>): AsyncGenerator<string, void> {
  yield* keys;
}

async function takeFirst(candidates: AsyncGenerator<string, void>): Promise<string> {
  const { done, value } = await candidates.next();
  if (done) throw cannotDecrypt();
  return value;
}

/** Decrypts into a sink, which is abandoned after any failure but a wrong key; returns how the file's tag refuses that. */
async function decryptInto(
  sink: ResultSink,
  key: Promise<string>,
  write: (encrypted: Required<TransferTarget>) => Promise<void>,
): Promise<{ error: KeeplightError; undo: Undo } | undefined> {
  let undo: Undo | undefined;

  function start() {
    const decryption = createDecryption(sink, key);
    return { decryption, held: holdUntil(key, READ_AHEAD_BYTES, decryption) };
  }

  let { decryption, held } = start();
  try {
    await write({
      announce: (bytes) => sink.announce?.(bytes),
      write: (chunk) => held.write(chunk),
      async end() {
        await held.flush();
        undo = await decryption.flush();
        await decryption.finish();
      },
      async restart() {
        await sink.restart();
        ({ decryption, held } = start());
      },
    });
    return undefined;
  } catch (error) {
    // Without a tag it is not an encrypted file, with any key.
    if (undo && isKeeplightError(error, "CANNOT_DECRYPT")) return { error, undo };
    await sink.abandon();
    throw error;
  }
}
