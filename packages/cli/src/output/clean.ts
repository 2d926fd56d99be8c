/** Control characters, which a terminal may obey, and those that reorder or hide text. */
const UNSAFE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what has to be found
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\p{Cs}/gu;

/** Makes a string from elsewhere safe to print: each character that is not text becomes `�`. */
export function clean(text: string): string {
  return text.replace(UNSAFE, "\ufffd");
}

/** The same for several lines. */
export function cleanLines(text: string): string {
  return text.split("\n").map(clean).join("\n");
}

/** Encodes JSON in one line that is safe to print, too: what JSON leaves as it is, is escaped. */
export function toSafeJson(value: unknown): string {
  const json = JSON.stringify(value, (_, part: unknown) => (typeof part === "bigint" ? part.toString() : part));
  return json.replace(UNSAFE, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
