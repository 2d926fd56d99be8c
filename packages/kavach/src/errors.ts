import { isKeeplightError, type KeeplightError } from "keeplight";
import type { ErrorValue } from "./types.ts";

/** The form in which a call of the incumbent throws what it caught. */
export type ErrorForm = (error: KeeplightError) => unknown;

/** Runs a call of the kit and throws its errors in the incumbent's form. */
export async function withErrors<Result>(form: ErrorForm, call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    throw isKeeplightError(error) ? form(error) : error;
  }
}

/** An `Error` with the same message; its `cause` is the kit's error, with all that it holds. */
export const plain: ErrorForm = (error) => createError(error.message, error);

/** As {@link plain}, with the `Error: ` that uploads put in front. */
export const prefixed: ErrorForm = (error) => createError(`Error: ${error.message}`, error);

/** As {@link prefixed}, with the service's own message if it refused the request. */
export const prefixedServerMessage: ErrorForm = (error) => {
  const message = isKeeplightError(error, "HTTP_STATUS") ? error.details.serverMessage : undefined;
  return createError(`Error: ${message ?? error.message}`, error);
};

/** As {@link plain}; a service's refusal is described by its status alone. */
export const httpError: ErrorForm = (error) => {
  const isRefusal = error.code === "HTTP_STATUS" || error.code === "NODE_REFUSED" || error.code === "NETWORK";
  const status = isRefusal ? error.details["status"] : undefined;
  return createError(status === undefined ? error.message : `HTTP error! status: ${status}`, error);
};

/** A file that cannot be read is reported by the error of the file system, with its `code`; others by `form`. */
export function orFileError(form: ErrorForm): ErrorForm {
  return (error) => {
    if (!isKeeplightError(error, "SOURCE_UNREADABLE") || !(error.cause instanceof Error)) return form(error);
    const { code } = error.details;
    return Object.assign(createError(error.cause.message, error), code === undefined ? {} : { code });
  };
}

function createError(message: string, cause: KeeplightError): Error {
  return new Error(message, { cause });
}

/** The node's own body of a refusal, as far as it is known. */
interface Refusal {
  message: unknown;
  statusCode?: number;
}

/** What the calls to all nodes refuse the caller with. All but `share` nest it. */
const DENIAL = "Access Denied";

/**
 * Runs a call of the kit; the incumbent's calls return their errors, so what it throws is passed to `onError` in their
 * form.
 *
 * @param flat - whether the nodes do not nest the denial of this call
 */
export async function orErrorValue<Result>(
  call: () => Promise<Result>,
  onError: (error: ErrorValue) => Result,
  flat = false,
): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    if (!isKeeplightError(error)) throw error;
    return onError(toErrorValue(error, flat));
  }
}

/** A string for what is refused before anything is sent; otherwise the node's body with the status. */
function toErrorValue(error: KeeplightError, flat: boolean): string | Refusal {
  switch (error.code) {
    case "INVALID_CID":
    case "INVALID_SHARDS":
    case "INVALID_CONDITION":
    case "CID_NOT_FOUND":
    case "CANNOT_RECOVER_KEY":
      return error.message;
    // What a node responds: these requests are not sent.
    case "INVALID_ADDRESS":
      return withCause({ message: "Invalid address", statusCode: 400 }, error);
    case "MISSING_OWNER":
      return withCause({ message: "Invalid Signature", statusCode: 401 }, error);
    case "INVALID_OPTION":
      if (error.details["option"] !== "authToken") break;
      return withCause({ message: "Invalid Signature", statusCode: 401 }, error);
  }
  const { status } = error.details as { status?: number };
  const message = error.message === DENIAL && !flat ? { message: { message: DENIAL } } : error.message;
  return withCause({ message, ...(status === undefined ? {} : { statusCode: status }) }, error);
}

/** Keeps the kit's error, with all that it holds, where neither JSON nor comparisons show it. */
function withCause(refusal: Refusal, cause: KeeplightError): Refusal {
  return Object.defineProperty(refusal, "cause", { value: cause });
}
