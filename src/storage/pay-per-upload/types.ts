import type { UploadPaymentFacts } from "../../base/errors/details/payment.ts";

/** What one upload, or its renewal, costs. */
export interface UploadPrice {
  /** In the smallest unit of USDC: 1,000,000 is one US dollar. */
  amount: bigint;
  /** For how many days the file is stored for it. */
  days: number;
  /** Of a file that is stored: until when it is paid for, in milliseconds since 1970; `null` if it is not. */
  expiresAt?: number | null;
}

/** What was paid for, and how. Plain data; anyone can verify it by `verifyUploadReceipt`. */
export interface UploadReceipt extends UploadPaymentFacts {
  /** What was signed for, in the token's smallest unit, a decimal string. Absent if it was paid by an earlier call. */
  amount?: string | undefined;
  /** The service's id of the file, for `renewUpload`. Absent if its response was lost: no other response has it. */
  id?: string | undefined;
  /** Until when the file is paid for, as the service says, in milliseconds since 1970. Absent if it does not say. */
  expiresAt?: number | undefined;
}

/** What a chain shows of a receipt's payment. */
export interface VerifiedUploadReceipt {
  /** Hash of the transaction. */
  transaction: string;
  /** Number of its block. */
  block: number;
  /** What was paid, in the token's smallest unit, a decimal string. */
  amount: string;
  /** Address that received it, lower-case. */
  payTo: string;
}
