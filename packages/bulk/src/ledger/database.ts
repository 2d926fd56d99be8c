import { isKeeplightError, KeeplightError } from "keeplight";
import { invalidOption } from "keeplight/parts";

/**
 * Returns a URL of a database without credentials, for messages. Throws `INVALID_OPTION`, which has no part of the URL, if it
 * cannot be read, or if a password that is not percent-encoded ends its host too early.
 *
 * @param option - that the URL is the value of
 */
export function readPlace(option: string, url: string): string {
  try {
    const parsed = new URL(url);
    decodeURIComponent(`${parsed.username}${parsed.password}${parsed.pathname}`);
    if (!isCutShort(parsed)) return `${parsed.protocol}//${parsed.host}${parsed.pathname}`;
  } catch {
    // The error of the system has the URL.
  }
  throw invalidOption(option, "a URL whose user name and password are percent-encoded");
}

/** Whether the `@` behind the credentials is in another part: they contain a `/`, `?` or `#`. */
function isCutShort({ hash, username, pathname, search }: URL): boolean {
  return hash !== "" || (username === "" && `${pathname}${search}`.includes("@"));
}

/** Whether a place is a PostgreSQL database, not a folder or another service. */
export function isDatabase(place: string): boolean {
  return /^postgres(ql)?:\/\//i.test(place);
}

/** Classes of SQLSTATE by which a database says that the same may succeed later. */
const PASSING = /^(08|40|53|55|57)/;

/** Runs work, and throws what a service or its connection refuses in another form. */
export async function withErrors<T>(toError: (error: unknown) => Error, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isKeeplightError(error) ? error : toError(error);
  }
}

/** @param cause - with the code of the system, or the SQLSTATE, if it has one; its message has no values of rows */
export function cannotUseDatabase(place: string, cause: unknown): KeeplightError {
  return cannotUse("database", place, "SQL", cause);
}

/** @param place - without credentials */
export function cannotUse(what: string, place: string, method: string, cause: unknown): KeeplightError<"NETWORK"> {
  const { code = "UNKNOWN" } = cause as { code?: string };
  const message = `The ${what} ${place} could not be used (${code})`;
  return new KeeplightError("NETWORK", message, { details: { url: place, method }, cause });
}

/** Whether an error is one of the database. */
export function isOfDatabase(error: unknown): boolean {
  return isKeeplightError(error, "NETWORK") && error.details.method === "SQL";
}

/** Whether a database cannot be used for now: it is down, its connection is lost, or it is overloaded. */
export function isDatabaseOutage(error: unknown): boolean {
  if (!isOfDatabase(error)) return false;
  const { severity, code = "" } = (error as { cause?: unknown }).cause as { severity?: unknown; code?: string };
  // Only what the database itself says has a severity.
  return severity === undefined || PASSING.test(code);
}

/** Loads a package that users install themselves; throws `UNSUPPORTED` with how to install it. */
export async function loadPackage<Package>(name: string, load: () => Promise<Package>): Promise<Package> {
  try {
    return await load();
  } catch (cause) {
    const message = `This requires a package that is not installed or does not load: npm install ${name}`;
    throw new KeeplightError("UNSUPPORTED", message, { cause });
  }
}
