import { throwIfAborted } from "../../base/async/abort.ts";
import { SHORT_TIMEOUT_MS, TRANSFER_TIMEOUT_MS } from "../../base/config/limits.ts";
import { cannotRecoverKey } from "../../base/errors/nodes.ts";
import type { Resolved } from "../../base/operation.ts";
import type { mixedSchema } from "../../base/options.ts";
import { OVERHEAD_BYTES } from "../../formats/crypto/file-format.ts";
import type { recoverFileKeySchema } from "../../keys/file-keys/recover-file-key.ts";
import { createShardFetcher } from "../../keys/file-keys/recover-shards.ts";
import { ignoreCombineError, kavachRecoverKey, keyCandidates } from "../../keys/shards/recover.ts";
import type { KeyShard } from "../../keys/shards/sharing.ts";
import { createProgress, DOWNLOAD_STAGES } from "../progress.ts";
import { openTransfer } from "./download.ts";
import { openOutput } from "./output.ts";
import { tryKeys } from "./try-keys.ts";

type KeyRecovery = Omit<Resolved<typeof recoverFileKeySchema>, "timeoutMs"> & Resolved<typeof mixedSchema>;

/**
 * Recovers a file's key from the key nodes and proves that it is the right one: a wrong key that is kept is noticed when
 * it is too late. One shard more than the threshold proves it, if all agree; otherwise all nodes are queried, and if
 * their shards do not prove it either, because too few nodes respond or several are faulty, the stored file does: it is
 * downloaded, and its content id and tag checked.
 *
 * @param options - as `resolveOptions({ ...recoverFileKeySchema, ...mixedSchema }, options)` returns them
 * @returns 64 lower-case hex characters: a secret
 * @throws what {@link kavachRecoverShards} throws; `CANNOT_RECOVER_KEY`; `CANNOT_DECRYPT` if no key opens the file;
 * what downloading it throws
 */
export async function recoverProvenKey(cid: string, options: KeyRecovery): Promise<string> {
  const { threshold, timeoutMs = SHORT_TIMEOUT_MS } = options;
  const fetcher = await createShardFetcher(cid, { ...options, timeoutMs });
  try {
    const { shards } = fetcher;
    await fetcher.fetch(threshold);
    // With just enough shards, the file itself has to prove the key.
    await fetcher.fetch(threshold + 1).catch(() => throwIfAborted(options.signal));
    let agreed = await findAgreedKey(shards, threshold);
    if (agreed === undefined) {
      await fetcher.fetchAll();
      agreed = await findAgreedKey(shards, threshold);
    }
    if (agreed !== undefined) return agreed;
    const keys = await keyCandidates(shards, threshold);
    if (keys.length > 0) return await findKeyOfFile(cid, keys, options);
    throw cannotRecoverKey({ needed: threshold, got: shards.length, reason: "the shards do not belong together" });
  } finally {
    fetcher.close();
  }
}

/** Returns the key that more shards than necessary agree on, if there is one. */
async function findAgreedKey(shards: readonly KeyShard[], threshold: number): Promise<string | undefined> {
  if (shards.length <= threshold) return undefined;
  return (await ignoreCombineError(kavachRecoverKey(shards, { threshold })))?.masterKey;
}

/** Returns the key that decrypts the stored file; nothing of the file is kept. */
async function findKeyOfFile(cid: string, keys: readonly string[], options: KeyRecovery): Promise<string> {
  const { timeoutMs = TRANSFER_TIMEOUT_MS } = options;
  // Colluding key nodes and a gateway could supply another key, and another file that it opens.
  const call = { ...options, timeoutMs, verifyCid: true };
  const progress = createProgress(undefined, DOWNLOAD_STAGES);
  const transfer = await openTransfer(cid, call, { overhead: OVERHEAD_BYTES, progress });
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
