import { KeeplightError } from "./base.ts";
import { nearestName } from "./nearest-name.ts";
import { abbreviated } from "./printable.ts";

export function invalidCid(value: unknown): KeeplightError {
  const cid = abbreviated(value);
  const advice = adviseOnCid(value);
  const hint = advice === undefined ? cid : `${cid}; ${advice}`;
  return new KeeplightError("INVALID_CID", "Invalid CID", {
    details: { cid, ...(advice === undefined ? {} : { advice }) },
    hint,
  });
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

/**
 * @param position - its place in a list of addresses
 * @param expected - how it is spelled, if only its checksum is wrong
 */
export function invalidAddress(value: unknown, position?: number, expected?: string): KeeplightError {
  const address = abbreviated(value);
  const place = position === undefined ? "" : ` at position ${position}`;
  const checksum =
    expected === undefined ? "" : `, whose checksum is wrong: if all digits are right, it is ${expected}`;
  const hint = `${address}${place}${checksum}`;
  const details = {
    address,
    ...(position === undefined ? {} : { position }),
    ...(expected === undefined ? {} : { expected }),
  };
  return new KeeplightError("INVALID_ADDRESS", "Invalid public Key", { details, hint });
}

/**
 * An option is refused.
 *
 * @param option - its name
 * @param expected - what it has to be, after `expected`, such as "a whole number from 0 on"
 */
export function invalidOption(option: string, expected: string): KeeplightError {
  return new KeeplightError("INVALID_OPTION", `Invalid option ${option}: expected ${expected}`, {
    details: { option },
  });
}

/** A string might be a key, and is never repeated. */
export function optionsNotAnObject(value: unknown): KeeplightError {
  const received = Array.isArray(value) ? "a list" : value === null ? "null" : `a ${typeof value}`;
  return new KeeplightError("INVALID_OPTION", "Invalid option options: expected an object", {
    details: { option: "options", received },
    hint: `such as { apiKey }, not ${received}`,
  });
}

/**
 * Refuses an option that the call does not take, and suggests the one that was most likely meant.
 *
 * @param group - prefix of the name of a nested option, such as `endpoints.`
 */
export function unknownOption(name: string, known: readonly string[], group = ""): KeeplightError {
  const nearest = nearestName(name, known);
  const hint = nearest === undefined ? `the options are ${known.join(", ")}` : `did you mean ${group}${nearest}?`;
  return new KeeplightError("INVALID_OPTION", `Unknown option ${group}${name}: ${hint}`, {
    details: { option: `${group}${name}`, ...(nearest === undefined ? {} : { nearest: `${group}${nearest}` }) },
  });
}

/** @param problem - after `Invalid source:`, such as "it is empty" */
export function invalidSource(problem: string, details: { name?: string } = {}): KeeplightError {
  return new KeeplightError("INVALID_SOURCE", `Invalid source: ${problem}`, { details });
}

/** @param first - the earlier name, which the upload node reads as identical */
export function duplicateName(name: string, first: string): KeeplightError {
  return new KeeplightError("DUPLICATE_NAME", `Duplicate file name found: ${name}`, { details: { name, first } });
}

export function missingApiKey(): KeeplightError {
  return new KeeplightError("MISSING_API_KEY", "No API key: pass { apiKey }, or bind one with createKit({ apiKey })");
}

/** @param proof - the option that, with an address, replaces a signer */
export function missingOwner(proof: "authToken" | "signedMessage" | "signature" = "authToken"): KeeplightError {
  return new KeeplightError("MISSING_OWNER", `No owner: pass { signer }, or { address, ${proof} }`);
}

export function notAJwt(): KeeplightError {
  return new KeeplightError("NOT_A_JWT", "auth_token must be a JWT");
}

export function fileTooLarge(name: string, size: number, limit: number): KeeplightError {
  return new KeeplightError(
    "FILE_TOO_LARGE",
    `File too large to encrypt: ${name} has ${size} bytes, the limit is ${limit}`,
    { details: { name, size, limit } },
  );
}

/** A stream is too large, so that its size is not known. */
export function tooLargeToEncrypt(limit: number): KeeplightError {
  return new KeeplightError("FILE_TOO_LARGE", `File too large to encrypt: the limit is ${limit} bytes`, {
    details: { limit },
  });
}

export function unsupported(what: string): KeeplightError {
  return new KeeplightError("UNSUPPORTED", `Not possible in this runtime: ${what}`);
}
