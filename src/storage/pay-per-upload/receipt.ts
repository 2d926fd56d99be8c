import { copyInput, type Operation, type OptionSchema, resolveOptions, unchecked } from "../../base/operation.ts";
import { type CallOptions, callSchema } from "../../base/options.ts";
import { loadPayPerUpload } from "./load.ts";
import type { UploadNetwork, uploadNetworks } from "./options.ts";
import type { UploadReceipt, VerifiedUploadReceipt } from "./types.ts";

/** Options of {@link verifyUploadReceipt}. */
export interface VerifyUploadReceiptOptions extends CallOptions {
  /** The chain of the payment. @default `base` */
  network?: keyof typeof uploadNetworks | UploadNetwork | undefined;
}

export const verifyUploadReceiptOperation = {
  options: {
    ...callSchema,
    network: unchecked<VerifyUploadReceiptOptions["network"]>(),
  } satisfies OptionSchema<VerifyUploadReceiptOptions>,
} satisfies Operation<VerifyUploadReceiptOptions>;

/**
 * Verifies on the chain that a receipt's payer has made one payment in the name of its order. Whom and how much is in the
 * result: who gets a receipt from someone else compares it with the service's address and price. It does not show that the
 * file is stored: that is up to the service, or to `getFileInfo` and `listBlobs`.
 *
 * @throws `INVALID_OPTION`, `PAYMENT_NOT_FOUND` if the chain does not show the payment, `PAYMENT_MISMATCH` if the transaction is
 * another one; what every request to a node may throw
 *
 * @example
 * const [{ receipt }] = await upload("./photo.jpg", { payPerUpload: { signer, maxAmount: 100_000 } });
 * const { amount, block } = await verifyUploadReceipt(receipt);
 */
export async function verifyUploadReceipt(
  receipt: UploadReceipt,
  options: VerifyUploadReceiptOptions = {},
): Promise<VerifiedUploadReceipt> {
  const own = copyInput(receipt, "receipt");
  const { network = "base", ...call } = resolveOptions(verifyUploadReceiptOperation.options, options);
  return (await loadPayPerUpload()).checkReceipt(own, network, call);
}
