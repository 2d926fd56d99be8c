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
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(header ?? "") ?? [];
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
