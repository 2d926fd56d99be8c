import { isKeeplightError } from "../../base/errors/base.ts";
import { journalDamaged } from "../../base/errors/journal.ts";
import { seal, unseal } from "../sealing.ts";
import type { SlotSubject } from "./slot.ts";

/** Seals a journal's key by another key; returns base64. */
export async function sealKey(
  wrapping: CryptoKey,
  { journal, slot }: SlotSubject,
  key: Uint8Array<ArrayBuffer>,
): Promise<string> {
  return encodeBase64(await seal(wrapping, { journal, id: `slot ${slot}` }, key));
}

/**
 * Decrypts what {@link sealKey} returned for the same slot.
 *
 * @throws `JOURNAL_DAMAGED`, for another key as well
 */
export async function unsealKey(
  wrapping: CryptoKey,
  { journal, slot }: SlotSubject,
  wrapped: string,
): Promise<Uint8Array<ArrayBuffer>> {
  return unseal(wrapping, { journal, id: `slot ${slot}` }, decodeBase64(wrapped));
}

/** Returns `undefined` instead of throwing that what is wrapped cannot be opened. */
export async function ignoreDamaged<T>(unwrapping: Promise<T>): Promise<T | undefined> {
  try {
    return await unwrapping;
  } catch (error) {
    if (isKeeplightError(error, "JOURNAL_DAMAGED")) return undefined;
    throw error;
  }
}

export function encodeBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

/** @throws `JOURNAL_DAMAGED` */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch (cause) {
    throw journalDamaged("its description", cause);
  }
}
