import { derivationsAtOnce } from "#platform";
import { untilAborted, wait } from "../../base/async/abort.ts";
import { KEY_NODE_COUNT } from "../../base/config/limits.ts";
import { tooLargeToEncrypt } from "../../base/errors/input.ts";
import {
  encryptChunks,
  generateNonces,
  type PreparedEncryption,
  prepareEncryption,
} from "../../formats/crypto/encrypt.ts";
import { deriveFileKey, encryptedSize, MAX_PLAINTEXT_BYTES } from "../../formats/crypto/file-format.ts";
import { kavachGenerate } from "../../keys/shards/generate.ts";
import type { KeyShard, ShardScheme } from "../../keys/shards/schemes.ts";
import type { SourceFile } from "../../platform/types.ts";
import { toEncryptedName } from "./file-names.ts";

/** The key of one file, whole and split. */
export interface FileKey {
  masterKey: string;
  keyShards: readonly KeyShard[];
}

/** Key generation may block other work, such as an abort, for this long. */
const MAX_BLOCKING_MS = 10;

export async function generateKeys(
  count: number,
  options: { threshold: number | undefined; scheme: ShardScheme; signal: AbortSignal | undefined },
): Promise<FileKey[]> {
  const { threshold, scheme, signal } = options;
  const keys: FileKey[] = [];
  let blockedSince = performance.now();
  while (keys.length < count) {
    keys.push(await kavachGenerate({ threshold, scheme, keyCount: KEY_NODE_COUNT }));
    if (performance.now() - blockedSince < MAX_BLOCKING_MS) continue;
    await wait(0, signal);
    blockedSince = performance.now();
  }
  return keys;
}

/**
 * Derives the keys of many files in order, the first ones at once, and then a few files ahead of the one that is being
 * encrypted, so that all cores are busy and the bytes do not wait.
 *
 * @returns a function that returns the preparation of the file at an index; called once per file, in order
 */
function deriveAhead(masterKeys: readonly string[]): (index: number) => Promise<PreparedEncryption> {
  const started: Promise<PreparedEncryption>[] = [];

  function startUntil(end: number): void {
    for (const masterKey of masterKeys.slice(started.length, end)) {
      const preparation = prepareEncryption(masterKey);
      // The file that awaits it throws the failure; after the upload has ended, no file may await it.
      preparation.catch(() => undefined);
      started.push(preparation);
    }
  }

  // While the caller signs in and connects.
  startUntil(derivationsAtOnce());
  return async (index) => {
    startUntil(index + 1 + derivationsAtOnce());
    return started[index] as Promise<PreparedEncryption>;
  };
}

/**
 * Derives one key for many files, by a new random salt. The files differ in their ivs, which are random, too: 96 bits, of
 * which no two are the same in practice for the 100,000 files of a folder (NIST SP 800-38D, 8.3 allows 2^32 files).
 *
 * @returns a function that returns the preparation of another file each time
 */
export function shareDerivedKey(masterKey: string): () => Promise<PreparedEncryption> {
  const { salt } = generateNonces();
  const key = deriveFileKey(masterKey, salt);
  // The first file that awaits it throws the failure.
  key.catch(() => undefined);
  return async () => prepareEncryption(masterKey, { ...generateNonces(), salt, key: await key });
}

/** Returns whether a file is plain text, by its type or, if it has none, by its name. */
export function isPlainText({ name, blob }: SourceFile): boolean {
  const type = blob?.type.split(";")[0]?.trim();
  return type ? type === "text/plain" : /[^/]\.txt$/i.test(name);
}

/** A file that is encrypted while it is read. */
export interface EncryptedFile extends SourceFile {
  /** Encrypts it once more, to the same bytes, which may be hashed and not sent; if it can be read again. */
  repeat?: ((signal: AbortSignal) => AsyncIterable<Uint8Array>) | undefined;
}

/**
 * Returns the same files, encrypted while they are read, the file at each index with the key at that index, and named by
 * its `sentAs` if there is one.
 *
 * @param prepared - returns the preparation of the file at an index
 * @throws `FILE_TOO_LARGE`
 */
export function encryptFiles(
  files: readonly SourceFile[],
  keys: readonly { masterKey: string; sentAs?: string | undefined }[],
  prepared = deriveAhead(keys.map(({ masterKey }) => masterKey)),
): EncryptedFile[] {
  for (const { name, size = 0 } of files) {
    if (size > MAX_PLAINTEXT_BYTES) throw tooLargeToEncrypt(MAX_PLAINTEXT_BYTES, { name, size });
  }
  return files.map((file, index) => {
    let preparing: Promise<PreparedEncryption> | undefined;
    async function* open(signal: AbortSignal): AsyncGenerator<Uint8Array> {
      preparing ??= prepared(index);
      yield* encryptChunks(file.open(signal, true), await untilAborted(preparing, signal));
    }
    async function* repeat(signal: AbortSignal): AsyncGenerator<Uint8Array> {
      const preparation = await preparing;
      if (preparation) yield* encryptChunks(file.open(signal, true), { open: preparation.reopen });
    }
    const size = file.size === undefined ? undefined : encryptedSize(file.size);
    const again = file.rereadable ? { repeat } : {};
    return { name: keys[index]?.sentAs ?? toEncryptedName(file), size, open, ...again, disposable: true };
  });
}
