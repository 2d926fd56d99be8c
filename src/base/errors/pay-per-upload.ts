import { KeeplightError } from "./base.ts";
import type { UploadPaymentFacts } from "./details/payment.ts";

export const unexpectedPayment = (expected: string, got: string) =>
  new KeeplightError("UNEXPECTED_PAYMENT", `The service requests another payment than ${expected}`, {
    details: { expected, got },
  });

/** @param reason - as the service says */
export const paymentNotTaken = (payment: UploadPaymentFacts, reason: string | undefined, cause?: unknown) =>
  new KeeplightError("PAYMENT_NOT_TAKEN", `The service did not take the payment: ${reason ?? "it does not say why"}`, {
    details: { payment, reason },
    cause,
  });

export const paidNotStored = (payment: UploadPaymentFacts, cause: unknown) =>
  new KeeplightError(
    "PAID_NOT_STORED",
    "The order is paid, and the network does not show what was paid for: nothing is paid again by calling again",
    { details: { payment }, cause },
  );

export const tooLargeToPay = (limit: number, name: string, size: number) =>
  new KeeplightError("FILE_TOO_LARGE", `${name} is too large for one paid upload: ${size} bytes of ${limit}`, {
    details: { limit, name, size },
  });
