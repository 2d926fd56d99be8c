import { gcm } from "#platform";
import { slices } from "../aes-gcm/chunks.ts";
import type { GcmEncryptor } from "../aes-gcm/gcm.ts";
import { tooLargeToEncrypt, unsupported } from "../errors/input.ts";
import { cancelOnExit } from "./cancel-on-exit.ts";
import { IV_BYTES, MAX_PLAINTEXT_BYTES, SALT_BYTES } from "./file-format.ts";
import { deriveFileKey } from "./master-key.ts";

/** The random parts of one encrypted file. */
export interface Nonces {
  /** 16 bytes. */
  salt: Uint8Array;
  /** 12 bytes. */
  iv: Uint8Array;
}

/** All that the encryption of one file needs, and of one only. Shows no key when printed. */
export interface Prepared {
  /** Gives salt ‖ iv and the cipher; throws when asked a second time. */
  open(): Promise<{ header: Uint8Array; encryptor: GcmEncryptor }>;
}

/**
 * Does the slow part of encrypting a file, the key derivation, so that it can run ahead of the bytes;
 * `derivationsAtOnce()` of `#platform` says how many are worth running together.
 *
 * @param masterKey 64 hexadecimal characters.
 * @param nonces Only for checks against known bytes; drawn at random by default, as they must be.
 * @throws KeeplightError `INVALID_KEY`; `UNSUPPORTED` where the runtime has no source of randomness.
 */
export async function prepareEncryption(masterKey: string, nonces: Nonces = drawNonces()): Promise<Prepared> {
  const { salt, iv } = nonces;
  const key = await deriveFileKey(masterKey, salt);
  let used = false;
  return {
    async open() {
      // A second message under the same key and iv would give both of them away.
      if (used) throw new Error("A prepared encryption serves one file only");
      used = true;
      return { header: concat(salt, iv), encryptor: await gcm.encryptor({ key, iv }) };
    },
  };
}

/**
 * Encrypts a file in constant memory: the pieces of salt ‖ iv ‖ ciphertext ‖ tag, in order, of no
 * particular length. How `plain` was cut does not matter. When the consumer stops early, `plain` is
 * told to stop too.
 *
 * @throws KeeplightError `FILE_TOO_LARGE` past {@link MAX_PLAINTEXT_BYTES}; what was given out by then is worthless.
 */
export function encryptChunks(plain: AsyncIterable<Uint8Array>, prepared: Prepared): AsyncGenerator<Uint8Array> {
  return cancelOnExit(plain, async function* (pieces) {
    const { header, encryptor } = await prepared.open();
    yield header;
    let size = 0;
    for await (const piece of pieces) {
      size += piece.length;
      if (size > MAX_PLAINTEXT_BYTES) throw tooLargeToEncrypt(MAX_PLAINTEXT_BYTES);
      for (const slice of slices(piece)) {
        const ciphertext = await encryptor.update(slice);
        if (ciphertext.length > 0) yield ciphertext;
      }
    }
    const { rest, tag } = await encryptor.finish();
    if (rest.length > 0) yield rest;
    yield tag;
  });
}

function drawNonces(): Nonces {
  if (!globalThis.crypto?.getRandomValues) throw unsupported("encryption, as there is no crypto.getRandomValues");
  return {
    salt: globalThis.crypto.getRandomValues(new Uint8Array(SALT_BYTES)),
    iv: globalThis.crypto.getRandomValues(new Uint8Array(IV_BYTES)),
  };
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array {
  const joined = new Uint8Array(first.length + second.length);
  joined.set(first);
  joined.set(second, first.length);
  return joined;
}
