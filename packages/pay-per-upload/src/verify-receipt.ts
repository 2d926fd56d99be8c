import { type CallOptions, isKeeplightError, KeeplightError, type UploadReceipt } from "keeplight";
import {
  callSchema,
  checkAddress,
  copyInput,
  getReceipt,
  invalidOption,
  isOptions,
  type OptionSchema,
  type Rpc,
  resolveOptions,
} from "keeplight/parts";
import { computeNonce } from "./authorization.ts";
import { connectTo, findTransfer, readTransfer } from "./chain.ts";
import { unreadable } from "./errors.ts";
import { checkNetwork, toNetwork, type UploadNetwork, type uploadNetworks } from "./options.ts";
import { isHash } from "./terms.ts";

/** Options of {@link verifyUploadReceipt}. */
export interface VerifyUploadReceiptOptions extends CallOptions {
  /** The chain of the payment. @default `base` */
  network?: keyof typeof uploadNetworks | UploadNetwork | undefined;
}

const schema = { ...callSchema, network: checkNetwork } satisfies OptionSchema<VerifyUploadReceiptOptions>;

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

/**
 * Verifies on the chain that a receipt's payer has made one payment in the name of its order. Whom and how much is in the
 * result: who gets a receipt from someone else compares it with the service's address and price. It does not show that the
 * file is stored: that is up to the service, or to `getFileInfo` and `listBlobs`.
 *
 * @throws `INVALID_OPTION`, `PAYMENT_NOT_FOUND` if the chain does not show the payment, `PAYMENT_MISMATCH` if the transaction is
 * another one; what every request to a node may throw
 *
 * @example
 * const [{ receipt }] = await upload("./photo.jpg", { payPerUpload: payPerUpload({ signer, maxAmount: 100_000 }) });
 * const { amount, block } = await verifyUploadReceipt(receipt);
 */
export async function verifyUploadReceipt(
  receipt: UploadReceipt,
  options: VerifyUploadReceiptOptions = {},
): Promise<VerifiedUploadReceipt> {
  const own = copyInput(receipt, "receipt");
  const { network: chain, ...call } = resolveOptions(schema, options);
  const network = toNetwork(chain);
  const { service, orderId, payer, nonce, transaction, amount } = checkReceipt(own, network);
  if ((await computeNonce({ service, payer, orderId })) !== nonce) {
    throw otherPayment(transaction ?? "", "nonce", "that of service, payer and order", nonce);
  }
  const rpc = connectTo(network, call);
  const reported = transaction && (await readMined(rpc, transaction));
  // What a service reports may be wrong.
  const hash = reported ? transaction : await findTransfer(rpc, network, { payer, nonce });
  const mined = reported ?? (hash && (await readMined(rpc, hash)));
  if (!hash || !mined) {
    const details = { hash: transaction ?? "" };
    throw new KeeplightError("PAYMENT_NOT_FOUND", "The chain has no transaction with this hash", { details });
  }
  const transfer = mined.succeeded ? readTransfer(mined.logs, network, { payer, nonce }) : undefined;
  if (!transfer) throw otherPayment(hash, "nonce", nonce, "");
  if (amount !== undefined && transfer.amount !== amount) throw otherPayment(hash, "amount", amount, transfer.amount);
  return { transaction: hash, block: mined.block, ...transfer };
}

function otherPayment(hash: string, field: "nonce" | "amount", expected: string, got: string) {
  const message = `The transaction is another payment: ${field} is ${got || "none"}`;
  return new KeeplightError("PAYMENT_MISMATCH", message, { details: { step: "pay", hash, field, expected, got } });
}

/** Throws `INVALID_RESPONSE` for whatever is no receipt of a transaction. */
async function readMined(rpc: Rpc, hash: string) {
  try {
    return await getReceipt(rpc, hash);
  } catch (error) {
    throw isKeeplightError(error) ? error : unreadable("eth_getTransactionReceipt");
  }
}

function checkReceipt(receipt: UploadReceipt, { chainId }: UploadNetwork): UploadReceipt {
  const refuse = (expected: string) => invalidOption("receipt", expected);
  if (!isOptions(receipt)) throw refuse("the receipt of an upload");
  const { service, orderId, payer, nonce, transaction, amount } = receipt;
  if (receipt.chainId !== chainId) throw refuse(`a receipt of chain ${chainId}`);
  if (typeof service !== "string" || !URL.canParse(service)) throw refuse("the URL of a service");
  if (typeof orderId !== "string" || !isHash(nonce)) throw refuse("an order and a nonce");
  if (transaction !== undefined && !isHash(transaction)) throw refuse("the hash of a transaction");
  return { service, orderId, payer: checkAddress(payer).toLowerCase(), chainId, nonce, transaction, amount };
}
