import { checkCid } from "keeplight/parts";
import { toBase64Url } from "./state.ts";

// Fields of the list of a drive: what is written, and checked when it is read.

/** Longest text that is read, in characters. */
export const MAX_TEXT = 1_024;

/** Drops what is missing at the end. */
export function trim(values: unknown[]): unknown[] {
  return values.slice(0, values.findLastIndex((value) => value !== null) + 1);
}

export const isShortText = (value: unknown): value is string | null =>
  value === null || (typeof value === "string" && value.length <= MAX_TEXT);

export const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

export function isCid(value: unknown): value is string {
  try {
    return checkCid(value) === value;
  } catch {
    return false;
  }
}

/** 32 bytes in base64url. */
export const isKeyText = (value: unknown): value is string => typeof value === "string" && /^[\w-]{43}$/.test(value);

/** Converts hex digits to base64url, which is shorter. */
export const hexToText = (hex: string): string => toBase64Url(fromHex(hex));

export const textToHex = (text: string): string => toHex(fromBase64Url(text));

const fromHex = (hex: string): Uint8Array =>
  Uint8Array.from(hex.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16));

export const toHex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** Whether a text is base64url as {@link toBase64Url} writes it: no two of them are of the same bytes. */
export const isBase64Url = (text: string): boolean => /^[\w-]+$/.test(text) && isWrittenLike(text);

function isWrittenLike(text: string): boolean {
  try {
    return toBase64Url(fromBase64Url(text)) === text;
  } catch {
    return false;
  }
}

export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));
}
