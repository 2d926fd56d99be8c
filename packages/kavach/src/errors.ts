import { type Endpoints, isKeeplightError, type KeeplightError } from "keeplight";
import { getEndpoints } from "./settings.ts";
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

/** Runs a call of the kit with the services that are set now, as {@link withErrors} does; returns the incumbent's result. */
export async function toData<T>(form: ErrorForm, call: (endpoints: Endpoints) => Promise<T>): Promise<{ data: T }> {
  return { data: await withErrors(form, () => call(getEndpoints())) };
}

/** An `Error` with the same message; its `cause` is the kit's error, with all that it holds. */
export const plain: ErrorForm = (error) => new Error(error.message, { cause: error });

/** As {@link plain}, with the `Error: ` that uploads put in front. */
export const prefixed: ErrorForm = (error) => new Error(`Error: ${error.message}`, { cause: error });

/** As {@link prefixed}, with the service's own message if it refused the request. */
export const prefixedServerMessage: ErrorForm = (error) => {
  const message = isKeeplightError(error, "HTTP_STATUS") ? error.details.serverMessage : undefined;
  return new Error(`Error: ${message ?? error.message}`, { cause: error });
};

/** As {@link plain}; a service's refusal is described by its status alone. */
export const httpError: ErrorForm = (error) => {
  const isRefusal = error.code === "HTTP_STATUS" || error.code === "NODE_REFUSED" || error.code === "NETWORK";
  const status = isRefusal ? error.details["status"] : undefined;
  return new Error(status === undefined ? error.message : `HTTP error! status: ${status}`, { cause: error });
};

/** A file that cannot be read is reported by the error of the file system, with its `code`; others by `form`. */
export function orFileError(form: ErrorForm): ErrorForm {
  return (error) => {
    if (!isKeeplightError(error, "SOURCE_UNREADABLE") || !(error.cause instanceof Error)) return form(error);
    const { code } = error.details;
    return Object.assign(new Error(error.cause.message, { cause: error }), code === undefined ? {} : { code });
  };
}

/** What the calls to all nodes refuse the caller with. All but `share` nest it. */
const DENIAL = "Access Denied";

/**
 * Runs a call of the kit; the incumbent's calls return their errors, so what it throws is passed to `onError` in their
 * form.
 *
 * @param flat - whether the nodes do not nest the denial of this call
 */
export async function orErrorValue<T>(call: () => Promise<T>, onError: (error: ErrorValue) => T, flat = false) {
  try {
    return await call();
  } catch (error) {
    if (!isKeeplightError(error)) throw error;
    return onError(toErrorValue(error, flat));
  }
}

/** A string for what is refused before anything is sent; otherwise the node's body with the status. */
function toErrorValue(error: KeeplightError, flat: boolean): string | object {
  switch (error.code) {
    case "INVALID_CID":
    case "INVALID_SHARDS":
    case "INVALID_CONDITION":
    case "CID_NOT_FOUND":
    case "CANNOT_RECOVER_KEY":
      return error.message;
  }
  // Keeps the kit's error, with all that it holds, where neither JSON nor comparisons show it.
  return Object.defineProperty(toRefusal(error, flat), "cause", { value: error });
}

/** Returns the node's own body of a refusal, as far as it is known. */
function toRefusal({ code, message, details }: KeeplightError, flat: boolean): object {
  // What a node responds: these requests are not sent.
  if (code === "INVALID_ADDRESS") return { message: "Invalid address", statusCode: 400 };
  const isUnsigned = code === "MISSING_OWNER" || (code === "INVALID_OPTION" && details["option"] === "authToken");
  if (isUnsigned) return { message: "Invalid Signature", statusCode: 401 };
  const { status } = details as { status?: number };
  const body = message === DENIAL && !flat ? { message: { message: DENIAL } } : message;
  return { message: body, ...(status === undefined ? {} : { statusCode: status }) };
}
