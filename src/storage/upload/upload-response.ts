import type { UploadPaymentFacts } from "../../base/errors/details/payment.ts";
import { invalidJson, invalidResponse } from "../../base/errors/transport.ts";
import { parseJson } from "../../base/validation/parse-json.ts";
import { checkCid } from "../../formats/cid/content-id.ts";
import type { TextResponse } from "../../network/http/response.ts";
import type { StorageClass } from "./storage-class.ts";

/** What was paid for, and how. Plain data; anyone can verify it by `verifyUploadReceipt` of `@keeplight/pay-per-upload`. */
export interface UploadReceipt extends UploadPaymentFacts {
  /** What was signed for, in the token's smallest unit, a decimal string. Absent if it was paid by an earlier call. */
  amount?: string | undefined;
  /** The service's id of the file, for `renewUpload`. Absent if its response was lost: no other response has it. */
  id?: string | undefined;
  /** Until when the file is paid for, as the service says, in milliseconds since 1970. Absent if it does not say. */
  expiresAt?: number | undefined;
}

/** One file or folder that the upload node has stored. The node may add fields. */
export interface UploadedFile {
  /** As it was sent; the name of a file in a folder starts with the folder's. Empty if the node returns none. */
  Name: string;
  /** Content id. */
  Hash: string;
  /** Bytes as stored, a decimal string. */
  Size?: string | undefined;
  /** The storage class that the upload named. Absent if it named none: then the network has chosen one. */
  storage?: StorageClass | undefined;
  /**
   * Of an encrypted upload with `saveOn: "enough"`: the key nodes that have no shard of its key yet, and to which
   * `kavachRepair` can save one. Absent if there are none.
   */
  nodesMissing?: number[];
  /** Of an upload with `payPerUpload`: what was paid for, and how. Keep it: `renewUpload` requires it. */
  receipt?: UploadReceipt;
  [field: string]: unknown;
}

/** What an upload has stored: at least one file or folder. */
export type UploadedFiles = [UploadedFile, ...UploadedFile[]];

/**
 * Parses an upload node's response in any of the forms in use: one object, a list, a list after other text,
 * or one object per line. Rows without a `Hash`, such as progress, are skipped; odd names and sizes are not
 * worth losing a content id for.
 *
 * @param expected - `list` if the response must be a list; `name` of the only file, for a row without one; `storage`:
 * the class that the request named
 * @throws `INVALID_JSON` 'Invalid JSON response', or 'No JSON array found in response' if a list is expected;
 * `INVALID_RESPONSE` if it has no content id, or an invalid one. No content id that the node returned is lost: the
 * readable rows are in `details.stored`
 */
export function readUploadResponse(
  response: TextResponse,
  expected: { list?: boolean; name?: string | undefined; storage?: StorageClass | undefined } = {},
): UploadedFiles {
  const { text, facts, status } = response;
  const rows = parse(text);
  if (!rows) {
    const { stored } = readRows(salvageRows(text));
    const details = stored.length === 0 ? {} : { stored };
    throw expected.list
      ? invalidResponse(facts, "No JSON array found in response", details)
      : invalidJson(facts, status, details);
  }
  const { stored, invalid } = readRows(rows, rows.length === 1 ? expected.name : undefined);
  if (invalid.length > 0) {
    const shown = invalid.slice(0, SHOWN_HASHES);
    const message = `The upload node returned an invalid content id: ${shown.join(", ")}`;
    throw invalidResponse(facts, message, { invalid: shown, stored });
  }
  const { storage } = expected;
  const [first, ...others] = storage === undefined ? stored : stored.map((file) => ({ ...file, storage }));
  if (!first) throw invalidResponse(facts, "The upload node's response names no file");
  return [first, ...others];
}

/** Reads the rows that have a `Hash`: what is stored, and the hashes that are no content ids. */
function readRows(rows: readonly unknown[], onlyName?: string): { stored: UploadedFile[]; invalid: string[] } {
  const stored: UploadedFile[] = [];
  const invalid: string[] = [];
  for (const row of rows) {
    if (!isObject(row) || !("Hash" in row)) continue;
    const Hash = readHash(row.Hash);
    if (Hash === undefined) invalid.push(formatHash(row.Hash));
    else stored.push({ ...readFields(row), Name: readName(row, onlyName), Hash });
  }
  return { stored, invalid };
}

function readHash(hash: unknown): string | undefined {
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

/** Returns the node's fields: a size as a decimal string, or none that is no size, and nothing that only the caller knows. */
function readFields(row: object): Partial<UploadedFile> {
  const { Size, storage: _, nodesMissing: __, receipt: ___, ...rest } = row as Record<keyof UploadedFile, unknown>;
  if (typeof Size === "string") return { ...rest, Size };
  return Number.isSafeInteger(Size) ? { ...rest, Size: String(Size) } : rest;
}

const SHOWN_HASHES = 3;
const SHOWN_CHARACTERS = 80;

/** Formats what the node sent instead of a content id, safe for a terminal. Objects may be nested too deep to be printed. */
function formatHash(hash: unknown): string {
  if (typeof hash === "object" && hash !== null) return "an object";
  const text = JSON.stringify(hash).replace(/[^\x20-\x7e]/g, "?");
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
}

/** Returns the rows of a response, or `undefined` if it is in none of the forms in use. */
function parse(text: string): unknown[] | undefined {
  const whole = tryJson(text);
  if (Array.isArray(whole)) return whole;
  if (isObject(whole)) return [whole];
  const { rows, rest } = parseLines(text);
  return rest === "" && rows.length > 0 ? rows : parseLastList(text);
}

/** Parses one object per line, up to the first line that is none; `rest` starts with that line. */
function parseLines(text: string): { rows: unknown[]; rest: string } {
  const rows: unknown[] = [];
  for (let start = 0, end = 0; start < text.length; start = end + 1) {
    const newline = text.indexOf("\n", start);
    end = newline < 0 ? text.length : newline;
    const line = text.slice(start, end);
    if (line.trim() === "") continue;
    const row = tryJson(line);
    if (!isObject(row)) return { rows, rest: text.slice(start) };
    rows.push(row);
  }
  return { rows, rest: "" };
}

/** Finds the rows in a response that is damaged, such as one that was cut off within a row. */
function salvageRows(text: string): unknown[] {
  const { rows, rest } = parseLines(text);
  const objects = rest.match(/\{[^{}]{1,4096}\}/g) ?? [];
  return [...rows, ...objects.filter((object) => object.includes('"Hash"')).map(tryJson)];
}

/**
 * Parses the list that the text ends with. Finds its opening bracket in one pass from the end: to try every bracket
 * would take quadratic time.
 */
function parseLastList(text: string): unknown[] | undefined {
  const end = text.trimEnd();
  let depth = 0;
  let quoted = false;
  for (let at = end.length - 1; at >= 0; at--) {
    const character = end[at];
    if (character === '"') {
      const escapeStart = skipBackslashes(end, at);
      if ((at - escapeStart) % 2 === 0) quoted = !quoted;
      at = escapeStart;
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

/** Returns where the backslashes before the character at `at` start, or `at` if there are none. */
function skipBackslashes(text: string, at: number): number {
  let start = at;
  while (text[start - 1] === "\\") start--;
  return start;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function tryJson(text: string): unknown {
  try {
    return parseJson(text, Number.POSITIVE_INFINITY);
  } catch {
    return undefined;
  }
}
