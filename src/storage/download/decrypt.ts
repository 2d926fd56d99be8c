import { deriveSignal, notify } from "../../base/async/abort.ts";
import { SHORT_TIMEOUT_MS, TRANSFER_TIMEOUT_MS } from "../../base/config/limits.ts";
import { invalidOption } from "../../base/errors/input.ts";
import { commitmentMismatch } from "../../base/errors/verification.ts";
import { callback, type OptionSchema, type Resolved, resolveOptions } from "../../base/operation.ts";
import { mixedSchema, type Optional } from "../../base/options.ts";
import { checkCid } from "../../formats/cid/content-id.ts";
import { computeCommitment } from "../../formats/crypto/commitment.ts";
import { assertMasterKey, OVERHEAD_BYTES } from "../../formats/crypto/file-format.ts";
import {
  type KeyProofOptions,
  type KeyReport,
  type KeySearch,
  keyProofSchema,
  type RecoverFileKeyOptions,
  recoverFileKeySchema,
  searchFileKey,
} from "../../keys/file-keys/recover-file-key.ts";
import type { SavedFile } from "../../platform/types.ts";
import { loadOnDemand } from "../load-on-demand.ts";
import { createProgress, DOWNLOAD_STAGES } from "../progress.ts";
import { type DownloadOptions, downloadSchema, withDownloadEntry } from "./download.ts";
import type { DownloadOperation, PartialDownload } from "./download-entry.ts";
import {
  type AsBlob,
  type AsBytes,
  type AsStream,
  checkOutput,
  type Output,
  type OutputOptions,
  openOutput,
  type ToPath,
  type ToPathOrBytes,
} from "./output.ts";
import { tryKeys } from "./try-keys.ts";

/** Options of {@link decrypt}. */
export type DecryptOptions = DownloadOptions &
  FileKeyOptions &
  KeyProofOptions & {
    /**
     * Receives how the key nodes did, once the file is decrypted: what it throws or rejects with is ignored.
     *
     * @default none
     */
    onKeyRecovered?: ((report: KeyReport) => void) | undefined;
  };

export const fileKeySchema = {
  ...recoverFileKeySchema,
  ...mixedSchema,
  key(key, name): string | string[] | undefined {
    if (key === undefined) return undefined;
    if (!Array.isArray(key)) return assertMasterKey(key);
    if (key.length === 0) throw invalidOption(name, "a key, or a list of at least one");
    return key.map(assertMasterKey);
  },
} satisfies OptionSchema<FileKeyOptions>;

const schema = {
  ...downloadSchema,
  ...fileKeySchema,
  ...keyProofSchema,
  onKeyRecovered: callback<(report: KeyReport) => void>(),
} satisfies OptionSchema<DecryptOptions & OutputOptions>;

export const decryptOperation = { options: schema, fetch: fetchAndDecrypt } satisfies DownloadOperation<DecryptOptions>;

/**
 * Recovers an encrypted file's key from three of the five key nodes while it downloads the file, and decrypts it, in
 * constant memory with `to` or `as: "stream"`, in a page also with `as: "blob"`. Nothing is released before the whole file is
 * authenticated. The file is downloaded once, even if faulty key nodes make several keys necessary. If both fail, the key's
 * error is thrown.
 *
 * The format authenticates a file only under its key: everyone who has the key, and so three colluding key nodes, can make
 * another file that it decrypts. `verifyCid`, the default, excludes other files, `strict` wrong keys, and `commitment` all
 * keys but one.
 *
 * @returns by the options: bytes (default), a Blob or a stream (`as`), or where it was saved (`to`)
 * @throws `INVALID_CID`, `INVALID_KEY`, `MISSING_OWNER`; what {@link kavachRecoverShards} and {@link download} throw
 * (`verifyCid` checks the encrypted file); with `strict` `CANNOT_RECOVER_KEY` if too few shards agree; with `commitment`
 * `COMMITMENT_MISMATCH`; `CANNOT_DECRYPT` if the key is wrong or the file is damaged, which leaves
 * nothing at `to`
 *
 * @example
 * await decrypt(cid, { signer, to: "./secret.pdf" });
 */
export function decrypt(cid: string, options: DecryptOptions & ToPath): Promise<SavedFile>;
export function decrypt(cid: string, options: DecryptOptions & AsBlob): Promise<Blob>;
export function decrypt(cid: string, options: DecryptOptions & AsStream): Promise<ReadableStream<Uint8Array>>;
export function decrypt(cid: string, options: DecryptOptions & AsBytes): Promise<Uint8Array<ArrayBuffer>>;
export function decrypt(
  cid: string,
  options: DecryptOptions & ToPathOrBytes,
): Promise<SavedFile | Uint8Array<ArrayBuffer>>;
export async function decrypt(cid: string, options: DecryptOptions & OutputOptions): Promise<Output> {
  const resolved = resolveOptions(schema, options);
  checkOutput(resolved);
  return withDownloadEntry("decrypt", checkCid(cid), resolved, fetchAndDecrypt);
}

async function fetchAndDecrypt(
  cid: string,
  options: Resolved<typeof schema>,
  partial?: PartialDownload,
): Promise<Output> {
  const { key: given, timeoutMs = TRANSFER_TIMEOUT_MS } = options;
  const progress = createProgress(options.onProgress, DOWNLOAD_STAGES);
  const { signal, end: endFetch } = deriveSignal(options.signal);
  try {
    const call = { ...options, signal, timeoutMs };
    const { openTransfer } = await loadOnDemand();
    const transfer = openTransfer(cid, call, { overhead: OVERHEAD_BYTES, progress, partial });
    const search = given === undefined ? await searchKeyNodes(cid, options, options) : undefined;
    const keys = search ? search.keys() : await listGivenKeys(cid, given ?? [], options.commitment);
    // Nothing is downloaded for an owner who cannot sign in.
    await search?.signIn();
    const { sink, key } = await tryKeys(keys, {
      openSink: () => openOutput(options),
      fetchInto: transfer.into,
      endFetch,
      signal: options.signal,
    });
    try {
      await partial?.confirm();
      const result = await sink.commit();
      progress.done();
      transfer.report();
      if (search) await reportKey(search, key, options.onKeyRecovered);
      return result;
    } catch (error) {
      await sink.abandon();
      throw error;
    }
  } finally {
    endFetch();
  }
}

async function reportKey(search: KeySearch, key: string, listener: DecryptOptions["onKeyRecovered"]): Promise<void> {
  try {
    if (listener) notify(listener, await search.report(key));
  } catch {
    // The file is decrypted already, and a saved one committed.
  }
}

/** Where the key of an encrypted file comes from: the key nodes, or the caller. */
export type FileKeyOptions =
  | (RecoverFileKeyOptions & { key?: undefined })
  | (Optional<RecoverFileKeyOptions> & {
      /**
       * The file's master key (a folder's: that of its manifest), 64 hex characters, or several, as a recovery kit may
       * have: `commitment` or the file's tag decides. With it no key node is queried and no owner is required.
       */
      key: string | readonly string[];
    });

type ResolvedFileKey = Resolved<typeof fileKeySchema>;

/** Searches for a file's key on the key nodes, as {@link searchFileKey} does. */
export function searchKeyNodes(cid: string, options: ResolvedFileKey, proof: KeyProofOptions): Promise<KeySearch> {
  return searchFileKey(cid, { ...options, timeoutMs: options.timeoutMs ?? SHORT_TIMEOUT_MS }, proof);
}

/**
 * Returns the keys that the caller passed, each once: with `commitment` only the committed one.
 *
 * @throws `COMMITMENT_MISMATCH`
 */
export async function listGivenKeys(
  cid: string,
  key: NonNullable<ResolvedFileKey["key"]>,
  commitment: string | undefined,
): Promise<string[]> {
  const keys = [...new Set([key].flat())];
  if (commitment === undefined) return keys;
  for (const each of keys) if ((await computeCommitment(cid, each)) === commitment) return [each];
  throw commitmentMismatch(cid);
}
