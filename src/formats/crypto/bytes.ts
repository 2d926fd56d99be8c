import { throwIfAborted, untilAborted } from "../../base/async/abort.ts";
import { invalidSource } from "../../base/errors/input.ts";
import { type OptionSchema, resolveOptions, signal } from "../../base/operation.ts";
import { toSegments } from "../../platform/aes-gcm/streaming.ts";
import { decryptUntrusted } from "./decrypt.ts";
import { encryptChunks, prepareEncryption } from "./encrypt.ts";
import { encryptedSize, plaintextSize } from "./file-format.ts";

/** Options of {@link encryptBytes} and {@link decryptBytes}. */
export interface BytesOptions {
  /** Ends the call: it rejects within 100 ms with code `ABORTED`. @default none */
  signal?: AbortSignal | undefined;
}

const schema = { signal } satisfies OptionSchema<BytesOptions>;

/**
 * Encrypts bytes as a file that every client of the network can open: salt, iv, AES-256-GCM ciphertext
 * and tag, 44 bytes longer than the plaintext. Use `uploadEncrypted` for files too large for memory.
 *
 * @param bytes The plaintext; neither changed nor kept.
 * @param key The file's master key, 64 hexadecimal characters, as `kavachGenerate` returns it.
 * @returns A new array, different each time.
 * @throws KeeplightError `INVALID_SOURCE`, `INVALID_KEY`, `ABORTED`.
 * @example
 * const { masterKey } = await kavachGenerate();
 * const encrypted = await encryptBytes(new TextEncoder().encode("hello"), masterKey);
 */
export async function encryptBytes(bytes: Uint8Array, key: string, options: BytesOptions = {}): Promise<Uint8Array> {
  return runOn(bytes, options, async (signal) => {
    const prepared = await prepareEncryption(key);
    return collectBytes(encryptChunks(yieldSegments(bytes, signal), prepared), encryptedSize(bytes.length));
  });
}

/**
 * Decrypts what {@link encryptBytes}, `uploadEncrypted` or another client of the network encrypted.
 *
 * @param bytes The encrypted file; neither changed nor kept.
 * @param key The file's master key, 64 hexadecimal characters.
 * @returns The authenticated plaintext, in a new array.
 * @throws KeeplightError `INVALID_SOURCE`, `INVALID_KEY`, `ABORTED`; `CANNOT_DECRYPT` for a wrong key or damaged bytes.
 * @example
 * const plaintext = await decryptBytes(encrypted, masterKey);
 */
export async function decryptBytes(bytes: Uint8Array, key: string, options: BytesOptions = {}): Promise<Uint8Array> {
  return runOn(bytes, options, async (signal) => {
    const size = plaintextSize(bytes.length);
    return collectBytes(decryptUntrusted(yieldSegments(bytes, signal), key), size);
  });
}

async function collectBytes(chunks: AsyncIterable<Uint8Array>, size: number): Promise<Uint8Array> {
  const collected = new Uint8Array(size);
  let offset = 0;
  for await (const chunk of chunks) {
    collected.set(chunk, offset);
    offset += chunk.length;
  }
  return collected;
}

/** A cipher may never yield to the event loop by itself; this many milliseconds of work are followed by a yield. */
const MAX_TASK_MS = 30;

async function* yieldSegments(bytes: Uint8Array, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  let taskStart = performance.now();
  for (const segment of toSegments(bytes)) {
    if (performance.now() - taskStart > MAX_TASK_MS) {
      await new Promise((resolve) => setTimeout(resolve));
      taskStart = performance.now();
    }
    throwIfAborted(signal);
    yield segment;
  }
}

/** Rejects as soon as the signal fires, even while `work` is pending; `work` itself then stops at its next segment. */
async function runOn<T>(bytes: unknown, options: BytesOptions, work: (signal?: AbortSignal) => Promise<T>): Promise<T> {
  const { signal } = resolveOptions(schema, options);
  throwIfAborted(signal);
  // Not `instanceof`: arrays of another realm, such as a frame, are accepted too.
  if (Object.prototype.toString.call(bytes) !== "[object Uint8Array]") throw invalidSource("expected a Uint8Array");
  return untilAborted(work(signal), signal);
}
