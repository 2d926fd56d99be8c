import { isKeeplightError, KeeplightError } from "keeplight";

/** Classes of SQLSTATE by which a database says that the same may succeed later. */
const PASSING = /^(08|40|53|55|57)/;

/** Reports what the database or the connection refuses; its message has no values of rows. */
export async function reportErrors<T>(place: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isKeeplightError(error)) throw error;
    throw cannotUseDatabase(place, error);
  }
}

/** @param cause - with the code of the system, or the SQLSTATE, if it has one */
export function cannotUseDatabase(place: string, cause: unknown): KeeplightError {
  const { code = "UNKNOWN" } = cause as { code?: string };
  return new KeeplightError("NETWORK", `The database ${place} could not be used (${code})`, {
    details: { url: place, method: "SQL" },
    cause,
  });
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
