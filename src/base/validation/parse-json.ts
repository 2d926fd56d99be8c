/** Deeper nesting than any service sends. */
const MAX_DEPTH = 64;

/** So many values are few for any response. */
const FEW_VALUES = 8_192;

/** Characters of each value, on average, in a response with more: an object of one character takes sixty bytes of memory. */
const MIN_CHARACTERS = 8;

/** A page of 2,000 files has 30,000 values. An object's field with a name of its own takes 800 bytes of memory. */
const MAX_VALUES = 250_000;

/**
 * Parses JSON that a stranger may have written; throws for malformed JSON, and for values that are too many or nested too deeply.
 *
 * @param maxValues - for JSON that has several for each of many files
 */
export function parseJson(text: string, maxValues = MAX_VALUES): unknown {
  if (exceedsLimits(text, maxValues)) throw new SyntaxError("The JSON has too many values, or is nested too deeply");
  return JSON.parse(text);
}

/** Counts what starts or separates values, outside of strings, before anything is allocated for them. */
function exceedsLimits(text: string, limit: number): boolean {
  const maxValues = Math.min(limit, Math.max(FEW_VALUES, text.length / MIN_CHARACTERS));
  let values = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text[at]) {
      case '"':
        at = findStringEnd(text, at + 1);
        break;
      case "[":
      case "{":
        values++;
        depth++;
        break;
      case ",":
        values++;
        break;
      case "]":
      case "}":
        depth--;
    }
    if (depth > MAX_DEPTH || values > maxValues) return true;
  }
  return false;
}

function findStringEnd(text: string, start: number): number {
  for (let at = start; ; at++) {
    const character = text[at];
    if (character === '"' || character === undefined) return at;
    if (character === "\\") at++;
  }
}

/**
 * Reads the string field `name` of a value of unknown shape, or `undefined`. Uploading and decrypting read responses only
 * with this, so that a page that does no more loads no schema library.
 */
export function textField(value: unknown, name: string): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const field: unknown = Reflect.get(value, name);
  return typeof field === "string" ? field : undefined;
}
