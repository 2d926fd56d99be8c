import { isKeeplightError, type KeeplightError } from "keeplight";

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
