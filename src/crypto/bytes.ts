import { slices } from "../aes-gcm/chunks.ts";
import { throwIfAborted, untilAborted } from "../async/abort.ts";
import { invalidSource } from "../errors/input.ts";
import { checkOptions } from "../validation/check-options.ts";
import { decryptUntrusted } from "./decrypt.ts";
import { encryptChunks, prepareEncryption } from "./encrypt.ts";
import { encryptedSize, plaintextSize } from "./file-format.ts";

/** Options of {@link encryptBytes} and {@link decryptBytes}. */
export interface BytesOptions {
  /** Ends the call: it rejects within 100 ms with code `ABORTED`. */
  signal?: AbortSignal | undefined;
}

const bytesOptionNames = "signal";

/**
 * Encrypts bytes as a file that every client of the network can open: salt, iv, AES-256-GCM ciphertext
 * and tag, 44 bytes more than went in. For files too large for memory there is `uploadEncrypted`.
 *
 * @param bytes The plaintext; neither changed nor kept.
 * @param key The file's master key, 64 hexadecimal characters, as `kavachGenerate` makes it.
 * @returns A new array, different each time.
 * @throws KeeplightError `INVALID_SOURCE`, `INVALID_KEY`, `ABORTED`.
 * @example
 * const { masterKey } = await kavachGenerate();
 * const encrypted = await encryptBytes(new TextEncoder().encode("hello"), masterKey);
 */
export async function encryptBytes(bytes: Uint8Array, key: string, options: BytesOptions = {}): Promise<Uint8Array> {
  checkOptions(options, bytesOptionNames);
  return abortable(options.signal, async (signal) => {
    assertBytes(bytes);
    const prepared = await prepareEncryption(key);
    return collectBytes(encryptChunks(inSlices(bytes, signal), prepared), encryptedSize(bytes.length));
  });
}

/**
 * Decrypts what {@link encryptBytes}, `uploadEncrypted` or another client of the network encrypted.
 *
 * @param bytes The encrypted file; neither changed nor kept.
 * @param key The file's master key, 64 hexadecimal characters.
 * @returns The plaintext, in a new array, once its tag was found right.
 * @throws KeeplightError `INVALID_SOURCE`, `INVALID_KEY`, `ABORTED`; `CANNOT_DECRYPT` for a wrong key or damaged bytes.
 * @example
 * const plaintext = await decryptBytes(encrypted, masterKey);
 */
export async function decryptBytes(bytes: Uint8Array, key: string, options: BytesOptions = {}): Promise<Uint8Array> {
  checkOptions(options, bytesOptionNames);
  return abortable(options.signal, async (signal) => {
    assertBytes(bytes);
    const size = plaintextSize(bytes.length);
    return collectBytes(decryptUntrusted(inSlices(bytes, signal), key), size);
  });
}

function assertBytes(bytes: unknown): void {
  // Not `instanceof`: arrays of another realm, such as a frame, are as good.
  if (Object.prototype.toString.call(bytes) !== "[object Uint8Array]") throw invalidSource("expected a Uint8Array");
}

async function collectBytes(pieces: AsyncIterable<Uint8Array>, size: number): Promise<Uint8Array> {
  const gathered = new Uint8Array(size);
  let offset = 0;
  for await (const piece of pieces) {
    gathered.set(piece, offset);
    offset += piece.length;
  }
  return gathered;
}

/** A cipher may work without ever letting other tasks run; they get their turn this often, in milliseconds. */
const TURN_MS = 30;

async function* inSlices(bytes: Uint8Array, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  let turn = performance.now();
  for (const slice of slices(bytes)) {
    if (performance.now() - turn > TURN_MS) {
      await new Promise((resolve) => setTimeout(resolve));
      turn = performance.now();
    }
    throwIfAborted(signal);
    yield slice;
  }
}

/** Rejects as soon as `signal` fires, whatever `work` is waiting for; `work` itself then stops at its next slice. */
async function abortable<T>(
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal | undefined) => Promise<T>,
): Promise<T> {
  throwIfAborted(signal);
  return untilAborted(work(signal), signal);
}
