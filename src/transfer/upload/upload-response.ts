import type { RequestFacts } from "../../errors/facts.ts";
import { invalidJson, invalidResponse } from "../../errors/transport.ts";
import type { TextResponse } from "../../http/response.ts";
import { checkCid } from "../../validation/cid.ts";

/** One file or folder that the upload node has stored. The node may add fields. */
export interface UploadedFile {
  /** As it was sent; the name of a folder's file begins with the folder's. Empty where the node gives none. */
  Name: string;
  /** Content id. */
  Hash: string;
  /** Bytes as stored, a decimal string. */
  Size?: string | undefined;
  /**
   * Of an encrypted upload with `saveOn: "enough"`: the key nodes that have no shard of its key yet, which
   * `kavachRepair` gives them. Left out where there are none.
   */
  nodesMissing?: number[];
  [field: string]: unknown;
}

/** What an upload has stored: at least one file or folder. */
export type UploadedFiles = [UploadedFile, ...UploadedFile[]];

/**
 * Reads an upload node's answer in any of the forms in use: one object, a list, a list after other text,
 * or one object per line. Rows without a `Hash`, such as progress, are skipped; odd names and sizes are not
 * worth losing a content id for.
 *
 * @param expected - `list` if the response has to be a list; `name` of the only file, for a row without one
 * @throws `INVALID_JSON` 'Invalid JSON response', or 'No JSON array found in response' where a list is needed;
 * `INVALID_RESPONSE` if it has no content id, or one that is invalid: the valid rows are in `details.stored`
 */
export function readUploadResponse(
  answer: TextResponse,
  expected: { list?: boolean; name?: string | undefined } = {},
): UploadedFiles {
  const rows = parse(answer.text);
  if (rows === undefined) {
    throw expected.list
      ? invalidResponse(answer.facts, "No JSON array found in response")
      : invalidJson(answer.facts, answer.status);
  }
  const stored: UploadedFile[] = [];
  const invalid: string[] = [];
  for (const row of rows) {
    if (typeof row !== "object" || row === null || !("Hash" in row)) continue;
    const Hash = validCid(row.Hash);
    if (Hash === undefined) invalid.push(printable(row.Hash));
    else stored.push({ ...withSize(row), Name: readName(row, rows.length === 1 ? expected.name : undefined), Hash });
  }
  if (invalid.length > 0) throw invalidHashes(answer.facts, stored, invalid);
  const [first, ...others] = stored;
  if (!first) throw invalidResponse(answer.facts, "The upload node's answer names no file");
  return [first, ...others];
}

function validCid(hash: unknown): string | undefined {
  try {
    return checkCid(hash);
  } catch {
    return undefined;
  }
}

function readName(row: object, fallback = ""): string {
  const name: unknown = "Name" in row ? row.Name : undefined;
  return typeof name === "string" ? name : typeof name === "number" ? String(name) : fallback;
}

/** The row with its size as a decimal string, or without one where it says something else. */
function withSize(row: object): { Size?: string } {
  const { Size, ...rest } = row as { Size?: unknown };
  if (typeof Size === "string") return { ...rest, Size };
  return Number.isSafeInteger(Size) ? { ...rest, Size: String(Size) } : rest;
}

const SHOWN_HASHES = 3;
const SHOWN_CHARACTERS = 80;

function invalidHashes(facts: RequestFacts, stored: readonly UploadedFile[], invalid: readonly string[]): Error {
  const shown = invalid.slice(0, SHOWN_HASHES);
  const message = `The upload node returned an invalid content id: ${shown.join(", ")}`;
  return invalidResponse(facts, message, { invalid: shown, stored });
}

/** What the node sent in place of a content id, safe for a terminal. Objects may be nested deeper than can be printed. */
function printable(value: unknown): string {
  const text = (typeof value === "object" && value !== null ? "an object" : JSON.stringify(value)).replace(
    /[^\x20-\x7e]/g,
    "?",
  );
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
}

function parse(text: string): unknown[] | undefined {
  const whole = tryJson(text);
  if (Array.isArray(whole)) return whole;
  if (typeof whole === "object" && whole !== null) return [whole];
  return lines(text) ?? lastList(text);
}

function lines(text: string): unknown[] | undefined {
  const items: unknown[] = [];
  for (let start = 0, end = 0; start < text.length; start = end + 1) {
    const found = text.indexOf("\n", start);
    end = found < 0 ? text.length : found;
    const line = text.slice(start, end);
    if (line.trim() === "") continue;
    const item = tryJson(line);
    if (typeof item !== "object" || item === null || Array.isArray(item)) return undefined;
    items.push(item);
  }
  return items.length > 0 ? items : undefined;
}

/**
 * The list that the text ends with. Its opening bracket is found in one pass from the end, as trying every
 * bracket would take time that grows with the square of the text's length.
 */
function lastList(text: string): unknown[] | undefined {
  const end = text.trimEnd();
  let depth = 0;
  let quoted = false;
  for (let at = end.length - 1; at >= 0; at--) {
    const character = end[at];
    if (character === '"') {
      const before = withoutBackslashes(end, at);
      if ((at - before) % 2 === 0) quoted = !quoted;
      at = before;
    } else if (!quoted && character === "]") {
      depth++;
    } else if (!quoted && character === "[") {
      depth--;
    }
    if (depth > 0) continue;
    const list = character === "[" ? tryJson(end.slice(at)) : undefined;
    return Array.isArray(list) ? list : undefined;
  }
  return undefined;
}

/** Where the backslashes before the character at `at` start, or `at` if there are none. */
function withoutBackslashes(text: string, at: number): number {
  let start = at;
  while (text[start - 1] === "\\") start--;
  return start;
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
