import { throwIfAborted } from "../../base/async/abort.ts";
import { SHORT_TIMEOUT_MS, TRANSFER_TIMEOUT_MS } from "../../base/config/limits.ts";
import { isKeeplightError, type KeeplightError } from "../../base/errors/base.ts";
import { cannotDecrypt } from "../../base/errors/input.ts";
import { cannotRecoverKey } from "../../base/errors/nodes.ts";
import type { Resolved } from "../../base/operation.ts";
import type { mixedSchema } from "../../base/options.ts";
import { holdUntil, writeAll } from "../../base/streams/reading.ts";
import { createDecryption, encryptAgain, type Undo } from "../../formats/crypto/decrypt.ts";
import { assertMasterKey, OVERHEAD_BYTES } from "../../formats/crypto/file-format.ts";
import type { recoverFileKeySchema } from "../../keys/file-keys/recover-file-key.ts";
import { createShardFetcher } from "../../keys/file-keys/recover-shards.ts";
import { findAgreedKey, ignoreCombineError, kavachRecoverKey, keyCandidates } from "../../keys/shards/recover.ts";
import type { KeyShard } from "../../keys/shards/schemes.ts";
import type { TransferTarget } from "../../network/blocks/output.ts";
import { loadOnDemand } from "../load-on-demand.ts";
import { createProgress, DOWNLOAD_STAGES } from "../progress.ts";
import { openOutput, type ResultSink } from "./output.ts";

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

type KeyRecovery = Omit<Resolved<typeof recoverFileKeySchema>, "timeoutMs"> & Resolved<typeof mixedSchema>;

/**
 * Recovers a file's key from the key nodes and proves that it is the right one: a wrong key that is kept is noticed when
 * it is too late. One shard more than the threshold proves it, if all agree; otherwise all nodes are queried, and if
 * their shards do not prove it either, because too few nodes respond or several are faulty, the stored file does: it is
 * downloaded, and its content id and tag checked.
 *
 * @param options - as `resolveOptions({ ...recoverFileKeySchema, ...mixedSchema }, options)` returns them
 * @returns 64 lower-case hex characters: a secret
 * @throws what {@link kavachRecoverShards} throws; `CANNOT_RECOVER_KEY`; `INVALID_KEY` if the shards are of a secret that is
 * no file's key; `CANNOT_DECRYPT` if no key opens the file; what downloading it throws
 */
export async function recoverProvenKey(cid: string, options: KeyRecovery): Promise<string> {
  const { threshold, timeoutMs = SHORT_TIMEOUT_MS } = options;
  const fetcher = await createShardFetcher(cid, { ...options, timeoutMs });
  try {
    const { shards } = fetcher;
    await fetcher.fetch(threshold);
    // With just enough shards, the file itself has to prove the key.
    await fetcher.fetch(threshold + 1).catch(() => throwIfAborted(options.signal));
    let agreed = await findProvenKey(shards, threshold);
    if (agreed === undefined) {
      await fetcher.fetchAll();
      agreed = await findProvenKey(shards, threshold);
    }
    // `gf256` splits secrets of any size.
    if (agreed !== undefined) return assertMasterKey(agreed);
    const keys = await keyCandidates(shards, threshold);
    if (keys.length > 0) return await findKeyOfFile(cid, keys, options);
    throw cannotRecoverKey({ needed: threshold, got: shards.length, reason: "the shards do not belong together" });
  } finally {
    fetcher.close();
  }
}

/** Returns the key that more shards than necessary agree on, if there is one. */
async function findProvenKey(shards: readonly KeyShard[], threshold: number): Promise<string | undefined> {
  if (shards.length <= threshold) return undefined;
  const recovered = await ignoreCombineError(kavachRecoverKey(shards, { threshold }));
  // A shard that cannot be combined with the others would hide that these agree.
  return recovered?.masterKey ?? findAgreedKey(shards, threshold);
}

/** Returns the key that decrypts the stored file; nothing of the file is kept. */
async function findKeyOfFile(cid: string, keys: readonly string[], options: KeyRecovery): Promise<string> {
  const { timeoutMs = TRANSFER_TIMEOUT_MS } = options;
  // Colluding key nodes and a gateway could supply another key, and another file that it opens.
  const call = { ...options, timeoutMs, verifyCid: true };
  const progress = createProgress(undefined, DOWNLOAD_STAGES);
  const { openTransfer } = await loadOnDemand();
  const transfer = openTransfer(cid, call, { overhead: OVERHEAD_BYTES, progress });
  const { sink, key } = await tryKeys(keys, {
    openSink: () => openOutput({ as: "stream" }),
    fetchInto: transfer.into,
    // The keys are there already.
    endFetch: () => undefined,
    signal: options.signal,
  });
  await sink.abandon();
  return key;
}
