/** What a terminal or a log acts on instead of showing it: controls, line breaks, and marks that turn the direction of text. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]+/gu;

/** A longer string might be a key, given in the wrong place. */
const MAX_SHOWN = 60;
const KEPT = 8;

/** The text with a space in place of what cannot be printed safely. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, " ");
}

/** A value for a message that refuses it: a string as it is or, where it is long, its beginning; of others the type. */
export function abbreviated(value: unknown): string {
  if (typeof value !== "string") return value === null ? "null" : typeof value;
  const text = value.length > MAX_SHOWN ? `${value.slice(0, KEPT)}… (${value.length} characters)` : value;
  return `"${printable(text)}"`;
}
