import { gcm as platformGcm } from "#platform";
import type { Gcm, GcmOptions } from "../../src/platform/aes-gcm/gcm.ts";
import { openNobleParts } from "../../src/platform/aes-gcm/noble.ts";
import { createStreamingGcm } from "../../src/platform/aes-gcm/streaming.ts";
import { openWebCryptoParts } from "../../src/platform/aes-gcm/webcrypto.ts";

export const nobleGcm = createStreamingGcm(openNobleParts);

/** Every implementation of AES-256-GCM in this runtime; `platform` is Node's crypto in Node. */
export const implementations: [name: string, gcm: Gcm][] = [
  ["platform", platformGcm],
  ["WebCrypto", createStreamingGcm(openWebCryptoParts)],
  [
    "WebCrypto in two calls",
    createStreamingGcm(async (options) => ({ ...(await openWebCryptoParts(options)), encrypt: undefined })),
  ],
  ["noble", nobleGcm],
];

/** Ways to split a message: each yields the lengths of the chunks; the last length may repeat. */
export const cuts: [name: string, length: number][] = [
  ["whole", Number.POSITIVE_INFINITY],
  ["in chunks of 7 bytes", 7],
  ["byte by byte", 1],
];

export function fromHex(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
}

export function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Returns the same bytes for the same arguments, without a pattern that could hide a mistake. */
export function someBytes(size: number, seed = 1): Uint8Array {
  const bytes = new Uint8Array(size);
  let state = seed;
  for (let index = 0; index < size; index++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    bytes[index] = state >>> 24;
  }
  return bytes;
}

/** Copies `bytes` in chunks of these lengths; the remainder is the last chunk. */
export function cutInto(bytes: Uint8Array, lengths: Iterable<number>): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  let start = 0;
  for (const length of lengths) {
    if (start >= bytes.length) break;
    chunks.push(bytes.slice(start, start + length));
    start += length;
  }
  if (start < bytes.length) chunks.push(bytes.slice(start));
  return chunks;
}

export function cutEvery(bytes: Uint8Array, length: number): Uint8Array[] {
  return cutInto(bytes, Array(Math.ceil(bytes.length / length)).fill(length));
}

export function concat(chunks: Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let offset = 0;
  for (const chunk of chunks) {
    joined.set(chunk, offset);
    offset += chunk.length;
  }
  return joined;
}

export async function listChunks(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const list: Uint8Array[] = [];
  for await (const chunk of chunks) list.push(chunk);
  return list;
}

export async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  return concat(await listChunks(chunks));
}

export async function* streamChunks(chunks: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

export async function encryptAll(gcm: Gcm, options: GcmOptions, chunks: Uint8Array[]) {
  const encryptor = await gcm.encryptor(options);
  const ciphertext: Uint8Array[] = [];
  for (const chunk of chunks) ciphertext.push(await encryptor.update(chunk));
  const { rest, tag } = await encryptor.finish();
  return { ciphertext: concat([...ciphertext, rest]), tag };
}

export async function decryptAll(gcm: Gcm, options: GcmOptions, chunks: Uint8Array[], tag: Uint8Array) {
  const decryptor = await gcm.decryptor(options);
  const plaintext: Uint8Array[] = [];
  for (const chunk of chunks) plaintext.push(await decryptor.update(chunk));
  return concat([...plaintext, await decryptor.finish(tag)]);
}
