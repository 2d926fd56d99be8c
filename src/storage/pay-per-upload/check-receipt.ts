import { isKeeplightError } from "../../base/errors/base.ts";
import { invalidOption } from "../../base/errors/input.ts";
import { notThePayment, paymentNotFound, unreadableResponse } from "../../base/errors/payment.ts";
import { isOptions } from "../../base/operation.ts";
import type { ResolvedCall } from "../../base/options.ts";
import { checkAddress } from "../../base/validation/address.ts";
import { getReceipt, type Receipt } from "../../network/ethereum/eth-rpc.ts";
import type { Rpc } from "../../network/ethereum/json-rpc.ts";
import { computeNonce } from "./authorization.ts";
import { connectTo, findTransfer, readTransfer } from "./chain.ts";
import { checkNetwork, type UploadNetwork } from "./options.ts";
import { isHash } from "./terms.ts";
import type { UploadReceipt, VerifiedUploadReceipt } from "./types.ts";

/** Implements `verifyUploadReceipt`. */
export async function checkReceipt(
  receipt: UploadReceipt,
  given: unknown,
  call: ResolvedCall,
): Promise<VerifiedUploadReceipt> {
  const network = checkNetwork(given);
  const { service, orderId, payer, nonce, transaction, amount } = readReceipt(receipt, network);
  if ((await computeNonce({ service, payer, orderId })) !== nonce) {
    throw notThePayment(transaction ?? "", "nonce", "that of service, payer and order", nonce);
  }
  const rpc = connectTo(network, call);
  const reported = transaction && (await readMined(rpc, transaction));
  // What a service reports may be wrong.
  const hash = reported ? transaction : await findTransfer(rpc, network, { payer, nonce });
  const mined = reported ?? (hash && (await readMined(rpc, hash)));
  if (!hash || !mined) throw paymentNotFound(transaction ?? "");
  const transfer = mined.succeeded ? readTransfer(mined.logs, network, { payer, nonce }) : undefined;
  if (!transfer) throw notThePayment(hash, "nonce", nonce, "");
  if (amount !== undefined && transfer.amount !== amount) throw notThePayment(hash, "amount", amount, transfer.amount);
  return { transaction: hash, block: mined.block, ...transfer };
}

/** Throws `INVALID_RESPONSE` for whatever is no receipt of a transaction. */
async function readMined(rpc: Rpc, hash: string): Promise<Receipt | undefined> {
  try {
    return await getReceipt(rpc, hash);
  } catch (error) {
    throw isKeeplightError(error) ? error : unreadableResponse("eth_getTransactionReceipt");
  }
}

function readReceipt(receipt: UploadReceipt, { chainId }: UploadNetwork): UploadReceipt {
  const refuse = (expected: string) => invalidOption("receipt", expected);
  if (!isOptions(receipt)) throw refuse("the receipt of an upload");
  const { service, orderId, payer, nonce, transaction, amount } = { ...receipt };
  if (receipt.chainId !== chainId) throw refuse(`a receipt of chain ${chainId}`);
  if (typeof service !== "string" || !URL.canParse(service)) throw refuse("the URL of a service");
  if (typeof orderId !== "string" || !isHash(nonce)) throw refuse("an order and a nonce");
  if (transaction !== undefined && !isHash(transaction)) throw refuse("the hash of a transaction");
  return { service, orderId, payer: checkAddress(payer).toLowerCase(), chainId, nonce, transaction, amount };
}
