import { chacha20poly1305 } from "@noble/ciphers/chacha.js";
import { scryptAsync } from "@noble/hashes/scrypt.js";
import { concatBytes, randomBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import { base64nopad } from "@scure/base";
import {
  Decrypter,
  Encrypter,
  generateX25519Identity,
  type Identity,
  identityToRecipient,
  type Recipient,
} from "age-encryption";

// Loaded later, and imports no code of this package: modules in common with a page's would be loaded in more chunks. The
// library's own errors are never kept: those of its encodings repeat the string that they refuse.

/** X25519 only: what every implementation of age reads. */
const RECIPIENT = /^age1[02-9ac-hj-np-z]{58}$/;
/** Headers of ten thousand recipients have less: a longer one would be kept in memory until it ends. */
const MAX_HEADER_BYTES = 1024 * 1024;

const IDENTITY = /^AGE-SECRET-KEY-1[02-9AC-HJ-NP-Z]{58}$/;

/**
 * Returns what encrypts chunks as one age file (age-encryption.org/v1), in constant memory; `undefined` if one of the
 * recipients is none. `signal` ends the derivation of a passphrase's key.
 */
export async function createAgeEncryption(target: AgeTarget, signal: AbortSignal | undefined) {
  const encrypter = new Encrypter();
  if ("passphrase" in target) {
    encrypter.addRecipient(createScryptRecipient(target.passphrase, signal));
  } else {
    if (target.recipients.length === 0 || !target.recipients.every((one) => RECIPIENT.test(one))) return undefined;
    try {
      for (const one of target.recipients) encrypter.addRecipient(one);
      // A point of low order is refused only when it is used.
      await encrypter.encrypt("");
    } catch {
      return undefined;
    }
  }
  return (plaintext: AsyncIterable<Uint8Array>) => transform(plaintext, (stream) => encrypter.encrypt(stream));
}

/**
 * Decrypts an age file. Every chunk it yields is authenticated, but only the end of the file shows that none is missing.
 *
 * @throws what reading the file throws; any other error for a wrong identity or passphrase, and for a file that is damaged
 * or truncated
 */
export function decryptAge(file: AsyncIterable<Uint8Array>, secret: AgeSecret, signal: AbortSignal | undefined) {
  return transform(limitHeader(file), (stream) => {
    const decrypter = new Decrypter();
    decrypter.addIdentity("identity" in secret ? secret.identity : createScryptIdentity(secret.passphrase, signal));
    return decrypter.decrypt(stream);
  });
}

/** Throws for a header that is too long; its last line starts with three dashes. */
async function* limitHeader(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder("latin1");
  let left = MAX_HEADER_BYTES;
  let line = "";
  for await (const chunk of chunks) {
    if (left > 0) {
      const text = line + decoder.decode(chunk.subarray(0, left));
      if (/\n---.*\n/.test(text)) left = 0;
      else if (chunk.length >= left) throw new RangeError("the header is too long");
      else left -= chunk.length;
      line = text.slice(Math.max(0, text.lastIndexOf("\n")));
    }
    yield chunk;
  }
}

/** Creates a random X25519 identity, `AGE-SECRET-KEY-1…`. */
export const generateIdentity: () => Promise<string> = generateX25519Identity;

/** Returns the recipient of an identity; `undefined` for anything but an identity. */
export async function toRecipient(identity: unknown): Promise<string | undefined> {
  try {
    return typeof identity === "string" && IDENTITY.test(identity) ? await identityToRecipient(identity) : undefined;
  } catch {
    // Its checksum is wrong.
    return undefined;
  }
}

/** Yields the chunks of the stream that `convert` makes of a stream of `chunks`, and ends both in any case. */
async function* transform(
  chunks: AsyncIterable<Uint8Array>,
  convert: (stream: ReadableStream<Uint8Array>) => Promise<ReadableStream<Uint8Array>>,
): AsyncGenerator<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  const cancel = async () => void (await iterator.return?.().catch(() => undefined));
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel,
  });
  try {
    const reader = (await convert(stream)).getReader();
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        yield value;
      }
    } finally {
      await reader.cancel().catch(() => undefined);
    }
  } finally {
    await cancel();
  }
}

// age-encryption runs scrypt in one go, which freezes a page for a second and lets no abort through.

/** Binary logarithms of the cost: age's default, and the most that a file may require (1 GiB): anyone can add files. */
const LOG_COST = 18;
const MAX_LOG_COST = 20;
const SALT_BYTES = 16;
const LABEL = utf8ToBytes("age-encryption.org/v1/scrypt");
/** Each key is used once. */
const NONCE = new Uint8Array(12);

/** Encrypts to a passphrase (age-encryption.org/v1, "The scrypt recipient type"). */
function createScryptRecipient(passphrase: string, signal: AbortSignal | undefined): Recipient {
  return {
    async wrapFileKey(fileKey) {
      const salt = randomBytes(SALT_BYTES);
      const key = await deriveKey(passphrase, salt, LOG_COST, signal);
      const body = chacha20poly1305(key, NONCE).encrypt(fileKey);
      return [{ args: ["scrypt", base64nopad.encode(salt), String(LOG_COST)], body }];
    },
  };
}

/** Decrypts with a passphrase. */
function createScryptIdentity(passphrase: string, signal: AbortSignal | undefined): Identity {
  return {
    async unwrapFileKey([stanza, ...others]) {
      const [type, salt = "", cost = ""] = stanza?.args ?? [];
      // A passphrase is the only recipient, or someone else could have written the file.
      if (!stanza || type !== "scrypt" || others.length > 0) return null;
      const logCost = /^[1-9]\d?$/.test(cost) ? Number(cost) : Number.POSITIVE_INFINITY;
      if (logCost > MAX_LOG_COST) throw new RangeError("the file costs too much to open");
      const key = await deriveKey(passphrase, base64nopad.decode(salt), logCost, signal);
      try {
        return chacha20poly1305(key, NONCE).decrypt(stanza.body);
      } catch {
        return null;
      }
    },
  };
}

function deriveKey(passphrase: string, salt: Uint8Array, logCost: number, signal: AbortSignal | undefined) {
  const N = 2 ** logCost;
  return scryptAsync(passphrase, concatBytes(LABEL, salt), {
    N,
    r: 8,
    p: 1,
    dkLen: 32,
    maxmem: 128 * 8 * (N + 2),
    onProgress: () => signal?.throwIfAborted(),
  });
}

// Apart from what encrypts: the types of age-encryption need those of a page, which a Node program may not have.

/** Who can decrypt an age file: recipients (`age1…`), or everyone who knows a passphrase. */
export type AgeTarget = { recipients: readonly string[] } | { passphrase: string };

/** What decrypts an age file: an identity (`AGE-SECRET-KEY-1…`) or a passphrase. */
export type AgeSecret = { identity: string } | { passphrase: string };
