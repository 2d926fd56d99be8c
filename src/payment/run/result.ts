import { paymentReverted } from "../../base/errors/payment.ts";
import { readRevertData } from "../chain/decode-revert.ts";
import { type Receipt, toCallFields, toHex } from "../chain/eth-rpc.ts";
import { findPaymentEvents } from "../chain/events.ts";
import type { Attempt } from "../machine.ts";
import type { Payment, PaymentTransaction } from "../types.ts";
import { type Context, getExplorerLink, toFacts } from "./context.ts";
import { checkReceived } from "./received.ts";

/** A mined transaction with all its confirmations. */
export type MinedTransaction = Attempt & { hash: string; receipt: Receipt };

/** Builds the error of a mined transaction that failed. Repeats it as a call to obtain the contract's reason. */
export async function decodeRevertReason(context: Context, transaction: MinedTransaction): Promise<Error> {
  const { rpc, sender } = context;
  const { receipt } = transaction;
  const call = toCallFields({ from: sender.address, ...transaction, value: BigInt(transaction.value) });
  const refusal = await rpc("eth_call", [call, toHex(receipt.block)]).then(
    () => undefined,
    (error: unknown) => error,
  );
  return paymentReverted(toFacts(context, transaction), readRevertData(refusal));
}

/**
 * Reads the result of a mined payment.
 *
 * @throws `PAYMENT_UNDERPAID` if the token did not transfer the whole amount, `PAYMENT_UNKNOWN` if that is not clear
 */
export async function readResult(
  context: Context,
  mined: readonly MinedTransaction[],
  paid: MinedTransaction,
): Promise<Payment> {
  const { order, sender } = context;
  const { network, token, tokenContract, amount } = order;
  if (tokenContract) await checkReceived(context, tokenContract.address, paid);
  const transactions = mined.map(
    ({ step, hash, receipt: { block, fee } }): PaymentTransaction => ({
      step,
      hash,
      block,
      fee,
      link: getExplorerLink(order, hash),
    }),
  );
  const events = findPaymentEvents(paid.receipt.logs, network.contract).map(({ event }) => event);
  const event = events.find((received) => received.sender === sender.address) ?? events[0];
  return {
    hash: paid.hash,
    block: paid.receipt.block,
    link: getExplorerLink(order, paid.hash),
    amount,
    token,
    chainId: network.chainId,
    from: sender.address,
    contract: network.contract.toLowerCase(),
    fee: transactions.reduce((sum, { fee }) => sum + fee, 0n),
    ...(event ? { event } : {}),
    transactions: transactions as Payment["transactions"],
  };
}
