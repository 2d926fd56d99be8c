import { Refusal } from "../http/json.ts";

/** Bytes `start` to `end`, inclusive. */
export interface ByteRange {
  start: number;
  end: number;
}

/**
 * Parses a `Range` header with one range (RFC 9110, section 14.1.2).
 *
 * @returns `undefined` if the header is to be ignored (missing, another unit, several ranges), `null` for an
 * unsatisfiable range.
 */
export function parseRange(header: string | undefined, size: number): ByteRange | undefined | null {
  const [, first, last] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header ?? "") ?? [];
  if (first === undefined || last === undefined || (first === "" && last === "")) return undefined;
  if (first === "") {
    const length = Math.min(Number(last), size);
    return length === 0 ? null : { start: size - length, end: size - 1 };
  }
  const start = Number(first);
  const end = last === "" ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== "" && Number(last) < start) return undefined;
  return start < size ? { start, end } : null;
}

/**
 * Parses the parameters `offset` and `length` of a request to Kubo's RPC; the part ends before it starts if it is empty.
 *
 * @throws Refusal 400 for anything but whole numbers, 500 for negative ones.
 */
export function parsePart(offset = "0", length: string | undefined, size: number): ByteRange {
  const start = Math.min(parseCount("offset", offset), size);
  const count = length === undefined ? size : parseCount("length", length);
  return { start, end: Math.min(start + count, size) - 1 };
}

function parseCount(name: string, text: string): number {
  if (!/^-?\d{1,15}$/.test(text)) throw new Refusal(400, `invalid value for option "${name}"`);
  if (text.startsWith("-")) throw new Refusal(500, `cannot specify negative ${name}`);
  return Number(text);
}
