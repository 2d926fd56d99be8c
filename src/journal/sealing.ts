import { journalDamaged } from "../base/errors/journal.ts";
import { concatBytes, ID_BYTES, toHex } from "../base/streams/bytes.ts";
import type { Bytes, SlotSubject } from "./slots/slot.ts";

/** Version of the format of sealed bytes, which start with it. */
const VERSION = 1;
const IV_BYTES = 12;

/** What sealed bytes belong to; bytes that are moved elsewhere cannot be opened. */
interface Subject {
  /** Of the journal. */
  journal: string;
  /** Id of an entry, or what else is sealed. */
  id: string;
}

/** Encrypts and authenticates (AES-256-GCM, a random iv each time): version ‖ iv ‖ ciphertext ‖ tag. */
export async function seal(key: CryptoKey, subject: Subject, plain: Bytes): Promise<Bytes> {
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const sealed = await crypto.subtle.encrypt(toParams(subject, iv), key, plain);
  return concatBytes([[VERSION], iv, new Uint8Array(sealed)]);
}

/** Decrypts what {@link seal} returned for the same subject; throws `JOURNAL_DAMAGED`. */
export async function unseal(key: CryptoKey, subject: Subject, sealed: Bytes): Promise<Bytes> {
  if (sealed[0] !== VERSION) throw journalDamaged(subject.id);
  const iv = sealed.slice(1, 1 + IV_BYTES);
  try {
    return new Uint8Array(await crypto.subtle.decrypt(toParams(subject, iv), key, sealed.slice(1 + IV_BYTES)));
  } catch (cause) {
    throw journalDamaged(subject.id, cause);
  }
}

function toParams({ journal, id }: Subject, iv: Bytes): AesGcmParams {
  const additionalData = new TextEncoder().encode(`keeplight journal ${VERSION} ${journal} ${id}`);
  return { name: "AES-GCM", iv, additionalData };
}

/** Imports the raw 32 bytes of a key that seals. */
export function importSealingKey(raw: Bytes, isExtractable = false): Promise<CryptoKey> {
  return crypto.subtle.importKey("raw", raw, "AES-GCM", isExtractable, ["encrypt", "decrypt"]);
}

/** Seals a journal's key by another key; returns base64. */
export async function sealKey(wrapping: CryptoKey, { journal, slot }: SlotSubject, key: Bytes): Promise<string> {
  return encodeBase64(await seal(wrapping, { journal, id: `slot ${slot}` }, key));
}

/** Decrypts what {@link sealKey} returned for the same slot; throws `JOURNAL_DAMAGED`, for another key as well. */
export async function unsealKey(wrapping: CryptoKey, { journal, slot }: SlotSubject, wrapped: string): Promise<Bytes> {
  return unseal(wrapping, { journal, id: `slot ${slot}` }, decodeBase64(wrapped));
}

export function encodeBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

/** @throws `JOURNAL_DAMAGED` */
export function decodeBase64(text: string): Bytes {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch (cause) {
    throw journalDamaged("its description", cause);
  }
}

/** Derives the id that belongs to a name: of SHA-256, as many hex digits as a random one has. */
export async function deriveId(name: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(name));
  return toHex(new Uint8Array(digest, 0, ID_BYTES));
}
