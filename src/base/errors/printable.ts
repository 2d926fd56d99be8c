/**
 * What a terminal or a log acts on instead of showing it: controls, line breaks, and marks that turn the direction of
 * text.
 */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]+/gu;

/** A longer string might be a key, passed in the wrong place. */
const MAX_SHOWN = 60;
const KEPT = 8;

/** Replaces what a terminal or a log would act on, such as control characters and line breaks, by spaces. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, " ");
}

/** Formats a refused value for a message: a string, shortened if it is long, or the type of anything else. */
export function abbreviated(value: unknown): string {
  if (typeof value !== "string") return value === null ? "null" : typeof value;
  const text = value.length > MAX_SHOWN ? `${value.slice(0, KEPT)}… (${value.length} characters)` : value;
  return `"${printable(text)}"`;
}
