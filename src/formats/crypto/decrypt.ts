import { gcm } from "#platform";
import { cannotDecrypt } from "../../base/errors/input.ts";
import { concatBytes } from "../../base/streams/bytes.ts";
import type { GcmDecryptor } from "../../platform/aes-gcm/gcm.ts";
import { toSegments } from "../../platform/aes-gcm/streaming.ts";
import { type ClosableIterator, cancelOnExit } from "./cancel-on-exit.ts";
import {
  assertMasterKey,
  deriveFileKey,
  HEADER_BYTES,
  MAX_PLAINTEXT_BYTES,
  SALT_BYTES,
  TAG_BYTES,
} from "./file-format.ts";

/** What reverses a decryption, even one with a wrong key. */
export interface Undo {
  /** The AES key that was derived from the master key and the file's salt. */
  fileKey: Uint8Array;
  /** The parts of the file that decryption removes. */
  header: Uint8Array;
  tag: Uint8Array;
}

/**
 * Decrypts a file in constant memory, yielding the plaintext BEFORE it is authenticated: the tag was valid only
 * if the iterator ends without an error, and nothing may be shown or used earlier. The chunk boundaries of
 * `ciphertext` do not matter, but its chunks must not be written to after they were passed in. `ciphertext` is
 * cancelled when the consumer stops early.
 *
 * @param masterKey 64 hexadecimal characters, or what derives the key of the cipher from it; that is derived as soon as
 * the master key and the salt are there.
 * @param onOutput is called when all output was yielded and only the tag is left to check.
 * @throws KeeplightError `INVALID_KEY` before anything is read; `CANNOT_DECRYPT`, one error for a wrong key, a
 * file that is truncated or too long, and any changed bit.
 */
export function decryptUntrusted(
  ciphertext: AsyncIterable<Uint8Array>,
  masterKey: string | Promise<string> | ((salt: Uint8Array) => Promise<Uint8Array>),
  onOutput?: (undo: Undo) => void,
): ClosableIterator<Uint8Array> {
  return cancelOnExit(ciphertext, async function* (chunks) {
    if (typeof masterKey !== "function" && !(masterKey instanceof Promise)) assertMasterKey(masterKey);
    const derive =
      typeof masterKey === "function" ? masterKey : async (salt: Uint8Array) => deriveFileKey(await masterKey, salt);
    const header = new Uint8Array(HEADER_BYTES);
    const tailBuffer = createTailBuffer(TAG_BYTES);
    let headerSize = 0;
    let size = 0;
    let fileKey: Uint8Array | undefined;
    let decryptor: GcmDecryptor | undefined;
    for await (const chunk of chunks) {
      const headerPart = chunk.subarray(0, HEADER_BYTES - headerSize);
      header.set(headerPart, headerSize);
      headerSize += headerPart.length;
      if (headerSize < HEADER_BYTES) continue;
      fileKey ??= await derive(header.subarray(0, SALT_BYTES));
      decryptor ??= await gcm.decryptor({ key: fileKey, iv: header.subarray(SALT_BYTES) });
      const body = tailBuffer.push(chunk.subarray(headerPart.length));
      size += body.length;
      if (size > MAX_PLAINTEXT_BYTES) throw cannotDecrypt();
      yield* decryptSegments(decryptor, body);
    }
    const { body, tail } = tailBuffer.finish();
    if (!decryptor || !fileKey || tail.length < TAG_BYTES || size + body.length > MAX_PLAINTEXT_BYTES)
      throw cannotDecrypt();
    yield* decryptSegments(decryptor, body);
    const rest = await decryptor.flush();
    if (rest.length > 0) yield rest;
    onOutput?.({ fileKey, header, tag: tail });
    await decryptor.finish(tail);
  });
}

async function* decryptSegments(decryptor: GcmDecryptor, body: Uint8Array): AsyncGenerator<Uint8Array> {
  for (const segment of toSegments(body)) {
    const plaintext = await decryptor.update(segment);
    if (plaintext.length > 0) yield plaintext;
  }
}

/**
 * Restores an encrypted file from what decryption with a wrong key made of it: GCM XORs the text with a key stream that
 * depends on the key and the iv only, so encrypting with the same key reverses it.
 */
export async function* encryptAgain(output: AsyncIterable<Uint8Array>, { fileKey, header, tag }: Undo) {
  const encryptor = await gcm.encryptor({ key: fileKey, iv: header.subarray(SALT_BYTES) });
  yield header;
  for await (const chunk of output) yield encryptor.update(chunk);
  yield (await encryptor.finish()).rest;
  yield tag;
}

/**
 * Separates the last `length` bytes of a stream from the rest before the end of the stream is known. Long chunks are kept
 * and returned whole rather than copied, so a chunk must not be written to after it was pushed.
 */
function createTailBuffer(length: number) {
  let held: Uint8Array = new Uint8Array(0);

  /** At the end: returns what precedes the tail, and the tail, which is shorter only if the stream was. */
  function finish(): { body: Uint8Array; tail: Uint8Array } {
    const end = Math.max(0, held.length - length);
    return { body: held.subarray(0, end), tail: held.subarray(end) };
  }

  /** Adds the next chunk; returns the bytes, often none, that can no longer belong to the tail. */
  function push(chunk: Uint8Array): Uint8Array {
    if (chunk.length >= length) {
      const body = held;
      held = chunk;
      return body;
    }
    const { body, tail } = finish();
    held = concatBytes([tail, chunk]);
    return body;
  }

  return { push, finish };
}
