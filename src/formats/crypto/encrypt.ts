import { gcm } from "#platform";
import { tooLargeToEncrypt, unsupported } from "../../base/errors/input.ts";
import { concatBytes } from "../../base/streams/bytes.ts";
import type { GcmEncryptor } from "../../platform/aes-gcm/gcm.ts";
import { toSegments } from "../../platform/aes-gcm/streaming.ts";
import { cancelOnExit } from "./cancel-on-exit.ts";
import { deriveFileKey, IV_BYTES, MAX_PLAINTEXT_BYTES, SALT_BYTES } from "./file-format.ts";

/** The random parts of one encrypted file. */
export interface Nonces {
  /** 16 bytes. */
  salt: Uint8Array;
  /** 12 bytes. */
  iv: Uint8Array;
  /** What `deriveFileKey` returns for the salt, if that was called before. */
  key?: Uint8Array;
}

interface Started {
  header: Uint8Array;
  encryptor: GcmEncryptor;
}

/** Holds what the encryption of exactly one file needs. Shows no key when printed. */
export type PreparedEncryption = Awaited<ReturnType<typeof prepareEncryption>>;

/**
 * Does the slow part of encrypting a file, the key derivation, so that it can run ahead of the bytes;
 * `derivationsAtOnce()` of `#platform` returns how many are worth running concurrently.
 *
 * @param masterKey 64 hexadecimal characters.
 * @param nonces Random by default, as they must be. Files with one key and salt each need an iv of their own.
 * @throws KeeplightError `INVALID_KEY`; `UNSUPPORTED` where the runtime has no source of randomness.
 */
export async function prepareEncryption(masterKey: string, nonces: Nonces = generateNonces()) {
  const { salt, iv, key = await deriveFileKey(masterKey, salt) } = nonces;
  let used = false;
  const start = async (): Promise<Started> => ({
    header: concatBytes([salt, iv]),
    encryptor: await gcm.encryptor({ key, iv }),
  });
  return {
    /** Returns salt ‖ iv and the cipher; throws when called a second time. */
    async open(): Promise<Started> {
      // A second message under the same key and iv would reveal both messages.
      if (used) throw new Error("A prepared encryption serves one file only");
      used = true;
      return start();
    },
    /** Starts the same encryption of the same file again: to hash what was sent, never to be sent itself. */
    reopen: start,
  };
}

/**
 * Encrypts a file in constant memory: yields salt ‖ iv ‖ ciphertext ‖ tag in chunks of no particular length.
 * The chunk boundaries of `plain` do not matter. `plain` is cancelled when the consumer stops early.
 *
 * @throws KeeplightError `FILE_TOO_LARGE` past {@link MAX_PLAINTEXT_BYTES}; what was yielded by then is worthless.
 */
export function encryptChunks(plain: AsyncIterable<Uint8Array>, prepared: Pick<PreparedEncryption, "open">) {
  return cancelOnExit(plain, async function* (chunks) {
    const { header, encryptor } = await prepared.open();
    yield header;
    let size = 0;
    for await (const chunk of chunks) {
      size += chunk.length;
      if (size > MAX_PLAINTEXT_BYTES) throw tooLargeToEncrypt(MAX_PLAINTEXT_BYTES);
      for (const segment of toSegments(chunk)) {
        const ciphertext = await encryptor.update(segment);
        if (ciphertext.length > 0) yield ciphertext;
      }
    }
    const { rest, tag } = await encryptor.finish();
    if (rest.length > 0) yield rest;
    yield tag;
  });
}

/** Generates a random salt and a random iv. */
export function generateNonces(): Nonces {
  if (!globalThis.crypto?.getRandomValues) throw unsupported("encryption, as there is no crypto.getRandomValues");
  return {
    salt: globalThis.crypto.getRandomValues(new Uint8Array(SALT_BYTES)),
    iv: globalThis.crypto.getRandomValues(new Uint8Array(IV_BYTES)),
  };
}
