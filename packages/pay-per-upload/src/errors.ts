import { isKeeplightError, KeeplightError, type UploadPaymentFacts } from "keeplight";
import type { TextResponse } from "./call.ts";

export const invalidResponse = ({ facts }: Pick<TextResponse, "facts">, message: string) =>
  new KeeplightError("INVALID_RESPONSE", message, { details: { ...facts } });

/** A node's response does not fit the request. */
export const unreadable = (method: string) =>
  new KeeplightError("INVALID_RESPONSE", `The node sent no readable response to ${method}`, { details: { method } });

/** @param reason - as the service says */
export const paymentNotTaken = (payment: UploadPaymentFacts, reason: string | undefined, cause?: unknown) =>
  new KeeplightError("PAYMENT_NOT_TAKEN", `The service did not take the payment: ${reason ?? "it does not say why"}`, {
    details: { payment, reason },
    cause,
  });

/** The same error with these details. */
export const withDetails = (error: KeeplightError, details: Readonly<Record<string, unknown>>) =>
  new KeeplightError(error.code, error.message, { details, cause: error.cause });

/** For `.catch`, where a node that fails, or sends nonsense, shows nothing. Throws `ABORTED`. */
export function ignoreAnyFailure(error: unknown): undefined {
  if (isKeeplightError(error, "ABORTED")) throw error;
}
