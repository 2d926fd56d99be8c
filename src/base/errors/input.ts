import { abbreviated, KeeplightError } from "./base.ts";

export function invalidCid(value: unknown): KeeplightError {
  const cid = abbreviated(value);
  const advice = adviseOnCid(value);
  const hint = advice === undefined ? cid : `${cid}; ${advice}`;
  return new KeeplightError("INVALID_CID", "Invalid CID", { details: { cid, advice }, hint });
}

/** Says what was passed by mistake instead of a content id, if that shows. */
function adviseOnCid(value: unknown): string | undefined {
  if (value instanceof Promise) return "a Promise was passed: is an await missing?";
  if (Array.isArray(value)) return "a list was passed: pass the Hash of one of its items";
  if (typeof value === "object" && value !== null && "Hash" in value)
    return "an uploaded file was passed: pass its Hash";
  if (value instanceof URL || (typeof value === "string" && /[/?#]/.test(value)))
    return "pass the content id alone, not a URL or a path";
  return undefined;
}

/** @param position - its place in a list; `expected` how it is spelled, if only its checksum is wrong */
export function invalidAddress(value: unknown, position?: number, expected?: string): KeeplightError {
  const address = abbreviated(value);
  const place = position === undefined ? "" : ` at position ${position}`;
  const checksum =
    expected === undefined ? "" : `, whose checksum is wrong: if all digits are right, it is ${expected}`;
  return new KeeplightError("INVALID_ADDRESS", "Invalid public Key", {
    details: { address, position, expected },
    hint: `${address}${place}${checksum}`,
  });
}

/** @param expected - what the option has to be, after `expected`, such as "a whole number from 0 on" */
export const invalidOption = (option: string, expected: string) =>
  new KeeplightError("INVALID_OPTION", `Invalid option ${option}: expected ${expected}`, { details: { option } });

/** @param group - prefix of the name of a nested option, such as `endpoints.` */
export function unknownOption(name: string, known: readonly string[], group = ""): KeeplightError {
  const nearest = nearestName(name, known);
  const hint = nearest === undefined ? `the options are ${known.join(", ")}` : `did you mean ${group}${nearest}?`;
  return new KeeplightError("INVALID_OPTION", `Unknown option ${group}${name}: ${hint}`, {
    details: { option: `${group}${name}`, nearest: nearest && `${group}${nearest}` },
  });
}

/** @param problem - after `Invalid source:`, such as "it is empty" */
export const invalidSource = (problem: string, details: { name?: string | undefined } = {}) =>
  new KeeplightError("INVALID_SOURCE", `Invalid source: ${problem}`, { details });

/** A service is paid for one file at a time. */
export const paidList = () => invalidSource("payPerUpload stores one file, not a list or a folder");

/** @param first - the earlier name, which the upload node reads as identical */
export const duplicateName = (name: string, first: string) =>
  new KeeplightError("DUPLICATE_NAME", `Duplicate file name found: ${name}`, { details: { name, first } });

/** @param proof - the option that, with an address, replaces a signer */
export const missingOwner = (proof: "authToken" | "signedMessage" | "signature" = "authToken") =>
  new KeeplightError("MISSING_OWNER", `No owner: pass { signer }, or { address, ${proof} }`);

export const notAJwt = () => new KeeplightError("NOT_A_JWT", "auth_token must be a JWT");

/** @param file - unknown of a stream */
export function tooLargeToEncrypt(limit: number, file?: { name: string; size: number }): KeeplightError {
  const problem = file ? `${file.name} has ${file.size} bytes, the limit is ${limit}` : `the limit is ${limit} bytes`;
  return new KeeplightError("FILE_TOO_LARGE", `File too large to encrypt: ${problem}`, { details: { ...file, limit } });
}

/** @param storage - the storage class, if the upload names one */
export function noRoom(storage: string | undefined, size: number, { limit, used }: { limit: number; used: number }) {
  const left = Math.max(0, limit - used);
  const where = storage === undefined ? "" : ` in the storage class ${storage}`;
  return new KeeplightError(
    "NO_ROOM",
    `No room for ${size} bytes${where}: the account has ${left} of ${limit} bytes left`,
    {
      details: { storage, size, limit, used },
    },
  );
}

export const unsupported = (what: string) => new KeeplightError("UNSUPPORTED", `Not possible in this runtime: ${what}`);

/** A file is not as it was when it was listed: it had `expected` bytes then, and has `got` now. */
export const sourceChanged = (name: string, expected: number, got: number) =>
  new KeeplightError("SOURCE_CHANGED", `The source changed while it was read: ${name}`, {
    details: { name, expectedBytes: expected, gotBytes: got },
  });

/** @param cause - the error of the operating system, whose code is in the details */
export function sourceUnreadable(name: string, cause: unknown): KeeplightError {
  const { path = name, ...details } = readSystemFacts(cause);
  return new KeeplightError("SOURCE_UNREADABLE", `The source could not be read: ${formatPath(path, details)}`, {
    details: { name, path, ...details },
    cause,
  });
}

/** @param cause - the error of the operating system, whose code is in the details */
export function cannotWrite(path: string, cause: unknown): KeeplightError<"CANNOT_WRITE"> {
  const { path: _, ...details } = readSystemFacts(cause);
  return new KeeplightError("CANNOT_WRITE", `Could not write: ${formatPath(path, details)}`, {
    details: { path, ...details },
    cause,
  });
}

/** @param room - how much of its quota the site uses, if the browser reports it */
export function browserStorageFull(
  room: { usedBytes: number; quotaBytes: number } | undefined,
  cause: unknown,
): KeeplightError {
  const used = room ? ` (${room.usedBytes} of ${room.quotaBytes} bytes are in use)` : "";
  const message = `Could not write: the browser has no more room for this site${used}. Private windows have less of it`;
  return new KeeplightError("CANNOT_WRITE", message, { details: { path: "the browser's storage", ...room }, cause });
}

/** Reads which file the operating system could not open, and why, such as `ENOENT`. */
function readSystemFacts(cause: unknown): { path?: string; code?: string } {
  if (!(cause instanceof Error)) return {};
  const { path, code } = cause as { path?: unknown; code?: unknown };
  return { ...(typeof path === "string" ? { path } : {}), ...(typeof code === "string" ? { code } : {}) };
}

function formatPath(path: string, { code }: { code?: string }): string {
  return code === undefined ? path : `${path} (${code})`;
}

/** Describes what is wrong with a key without showing it. */
export const invalidKey = (message: string) => new KeeplightError("INVALID_KEY", message);

/** @param position - of the malformed shard in the list */
export const invalidShards = (message: string, position?: number) =>
  new KeeplightError("INVALID_SHARDS", message, { details: { position } });

/** The one error of a wrong key, a truncated file and a flipped bit: from outside they look the same. */
export const cannotDecrypt = () =>
  new KeeplightError("CANNOT_DECRYPT", "Decryption failed: wrong key, or the file is damaged");

/** Longer names are not compared: no option is that long, and comparing takes quadratic time. */
const MAX_LENGTH = 64;

/**
 * Finds the known name that a misspelt one most likely stands for; `undefined` if none is close: more than a third of the
 * letters differ and neither starts with the other. Case, `_` and `-` do not count.
 */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const typed = normalize(name);
  if (typed === "" || typed.length > MAX_LENGTH) return undefined;
  const [nearest] = known
    .map((candidate) => ({ candidate, edits: editDistance(typed, normalize(candidate)) }))
    .filter(({ candidate, edits }) => isClose(typed, normalize(candidate), edits))
    .sort((a, b) => a.edits - b.edits);
  return nearest?.candidate;
}

function normalize(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, "");
}

function isClose(typed: string, name: string, edits: number): boolean {
  const [short, long] = typed.length < name.length ? [typed, name] : [name, typed];
  if (short.length >= 3 && long.startsWith(short)) return true;
  return edits <= Math.max(1, Math.floor(short.length / 3));
}

/** Counts the insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b`. */
function editDistance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number) => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    rows.push(current);
    for (let column = 1; column <= b.length; column++) {
      const differs = a[row - 1] === b[column - 1] ? 0 : 1;
      const isSwap = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      current[column] = Math.min(
        at(row, column - 1) + 1,
        at(row - 1, column) + 1,
        at(row - 1, column - 1) + differs,
        isSwap ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
  }
  return at(a.length, b.length);
}
