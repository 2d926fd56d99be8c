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

/** 64 hexadecimal characters, or what derives the key of the cipher from it and the file's salt. */
type MasterKey = string | Promise<string> | ((salt: Uint8Array) => Promise<Uint8Array>);

/** Receives bytes in order. */
interface ByteSink {
  write(chunk: Uint8Array): Promise<void>;
}

/** Decrypts one file, which it receives in chunks of any length that must not change later. */
export interface Decryption extends ByteSink {
  /** Writes the rest of the plaintext, once all of the file was received; only the tag is left to check. */
  flush(): Promise<Undo>;
  /** Checks the tag: before, nothing that was written may be shown or used. */
  finish(): Promise<void>;
}

/**
 * Decrypts a file in constant memory, and writes the plaintext BEFORE it is authenticated.
 *
 * @param masterKey - the key of the cipher is derived as soon as it and the salt are there
 * @throws KeeplightError `INVALID_KEY`; later `CANNOT_DECRYPT`, one error for a wrong key, a file that is truncated or too
 * long, and any changed bit
 */
export function createDecryption(sink: ByteSink, masterKey: MasterKey): Decryption {
  if (typeof masterKey !== "function" && !(masterKey instanceof Promise)) assertMasterKey(masterKey);
  const derive =
    typeof masterKey === "function" ? masterKey : async (salt: Uint8Array) => deriveFileKey(await masterKey, salt);
  const header = new Uint8Array(HEADER_BYTES);
  const tailBuffer = createTailBuffer(TAG_BYTES);
  let headerSize = 0;
  let size = 0;
  let fileKey: Uint8Array | undefined;
  let decryptor: GcmDecryptor | undefined;
  let tag: Uint8Array = new Uint8Array(0);

  async function decrypt(cipher: GcmDecryptor, body: Uint8Array): Promise<void> {
    size += body.length;
    if (size > MAX_PLAINTEXT_BYTES) throw cannotDecrypt();
    for (const segment of toSegments(body)) {
      const plaintext = await cipher.update(segment);
      if (plaintext.length > 0) await sink.write(plaintext);
    }
  }

  return {
    async write(chunk) {
      const headerPart = chunk.subarray(0, HEADER_BYTES - headerSize);
      header.set(headerPart, headerSize);
      headerSize += headerPart.length;
      if (headerSize < HEADER_BYTES) return;
      fileKey ??= await derive(header.subarray(0, SALT_BYTES));
      decryptor ??= await gcm.decryptor({ key: fileKey, iv: header.subarray(SALT_BYTES) });
      await decrypt(decryptor, tailBuffer.push(chunk.subarray(headerPart.length)));
    },
    async flush() {
      const { body, tail } = tailBuffer.finish();
      if (!decryptor || !fileKey || tail.length < TAG_BYTES) throw cannotDecrypt();
      await decrypt(decryptor, body);
      const rest = await decryptor.flush();
      if (rest.length > 0) await sink.write(rest);
      tag = tail;
      return { fileKey, header, tag };
    },
    async finish() {
      if (!decryptor) throw cannotDecrypt();
      await decryptor.finish(tag);
    },
  };
}

/**
 * Decrypts a file as {@link createDecryption} does, yielding the plaintext: the tag was valid only if the iterator ends
 * without an error. `ciphertext` is cancelled when the consumer stops early.
 */
export function decryptUntrusted(
  ciphertext: AsyncIterable<Uint8Array>,
  masterKey: MasterKey,
): ClosableIterator<Uint8Array> {
  return cancelOnExit(ciphertext, async function* (chunks) {
    const written: Uint8Array[] = [];
    const write = async (chunk: Uint8Array) => void written.push(chunk);
    const decryption = createDecryption({ write }, masterKey);
    for await (const chunk of chunks) {
      await decryption.write(chunk);
      yield* written.splice(0);
    }
    await decryption.flush();
    yield* written;
    await decryption.finish();
  });
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
