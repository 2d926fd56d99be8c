import { gcm } from "#platform";
import { slices } from "../aes-gcm/chunks.ts";
import type { GcmDecryptor } from "../aes-gcm/gcm.ts";
import { cannotDecrypt } from "../errors/crypto.ts";
import { cancelOnExit } from "./cancel-on-exit.ts";
import { HEADER_BYTES, MAX_PLAINTEXT_BYTES, SALT_BYTES, TAG_BYTES } from "./file-format.ts";
import { assertMasterKey, deriveFileKey } from "./master-key.ts";
import { createTailBuffer } from "./tail-buffer.ts";

/** What takes the output of a decryption back, even of one with a wrong key. */
export interface Undo {
  /** The AES key that the master key stands for in this file. */
  fileKey: Uint8Array;
  /** What decryption takes off the file. */
  header: Uint8Array;
  tag: Uint8Array;
}

/**
 * Decrypts a file in constant memory, giving the plaintext out BEFORE it is known to be right: only
 * when the generator ends without an error did the tag hold, and nothing may be shown or used earlier.
 * How `ciphertext` was cut does not matter, but its pieces must not be written to after they were
 * handed over. When the consumer stops early, `ciphertext` is told to stop too.
 *
 * @param masterKey 64 hexadecimal characters.
 * @param onOutput is called when all of the output is out and only the tag is left to be checked.
 * @throws KeeplightError `INVALID_KEY` before anything is read; `CANNOT_DECRYPT` for a wrong key, a file
 * that is cut or too long, and any changed bit, one error for all of them.
 */
export function decryptUntrusted(
  ciphertext: AsyncIterable<Uint8Array>,
  masterKey: string,
  onOutput?: (undo: Undo) => void,
): AsyncGenerator<Uint8Array> {
  return cancelOnExit(ciphertext, async function* (pieces) {
    const key = assertMasterKey(masterKey);
    const header = new Uint8Array(HEADER_BYTES);
    const end = createTailBuffer(TAG_BYTES);
    let headerSize = 0;
    let size = 0;
    let fileKey: Uint8Array | undefined;
    let decryptor: GcmDecryptor | undefined;
    for await (const piece of pieces) {
      const headerPart = piece.subarray(0, HEADER_BYTES - headerSize);
      header.set(headerPart, headerSize);
      headerSize += headerPart.length;
      if (headerSize < HEADER_BYTES) continue;
      fileKey ??= await deriveFileKey(key, header.subarray(0, SALT_BYTES));
      decryptor ??= await gcm.decryptor({ key: fileKey, iv: header.subarray(SALT_BYTES) });
      const body = end.push(piece.subarray(headerPart.length));
      size += body.length;
      if (size > MAX_PLAINTEXT_BYTES) throw cannotDecrypt();
      yield* decryptSlices(decryptor, body);
    }
    const { body, tail } = end.finish();
    if (!decryptor || !fileKey || tail.length < TAG_BYTES || size + body.length > MAX_PLAINTEXT_BYTES)
      throw cannotDecrypt();
    yield* decryptSlices(decryptor, body);
    const rest = await decryptor.flush();
    if (rest.length > 0) yield rest;
    onOutput?.({ fileKey, header, tag: tail });
    await decryptor.finish(tail);
  });
}

async function* decryptSlices(decryptor: GcmDecryptor, body: Uint8Array): AsyncGenerator<Uint8Array> {
  for (const slice of slices(body)) {
    const plaintext = await decryptor.update(slice);
    if (plaintext.length > 0) yield plaintext;
  }
}
