import { isKeeplightError, type KeeplightError } from "keeplight";
import type { ErrorValue } from "./types.ts";

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
