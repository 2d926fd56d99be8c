import { isKeeplightError } from "../../errors/base.ts";
import { paymentReverted, paymentUnderpaid } from "../../errors/payment.ts";
import type { Rpc } from "../../ethereum/json-rpc.ts";
import { erc20 } from "../chain/abi.ts";
import { readRevertData } from "../chain/decode-revert.ts";
import { callView, type Receipt, toCallFields, toHex } from "../chain/eth-rpc.ts";
import { findPaymentEvents, findTransfers } from "../chain/events.ts";
import type { Attempt } from "../machine.ts";
import type { Payment, PaymentTransaction } from "../types.ts";
import { type Context, getExplorerLink, toFacts } from "./context.ts";

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
 * @throws `PAYMENT_UNDERPAID` if the token did not transfer the whole amount
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
  const event = findPaymentEvents(paid.receipt.logs, network.contract)[0]?.event;
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

/**
 * Compares the received amount with the order. A token that takes a fee emits an event with less; a malicious one can
 * emit any event, so the balances are compared as well. They alone count if a token's events cannot be decoded.
 */
async function checkReceived(context: Context, token: string, paid: MinedTransaction): Promise<void> {
  const { order, rpc, sender } = context;
  const { contract } = order.network;
  const { amount } = order;
  const transfers = findTransfers(paid.receipt.logs, token).filter(
    ({ event: { from, to } }) => from === sender.address && to === contract.toLowerCase(),
  );
  let received = transfers.reduce((sum, { event }) => sum + event.amount, 0n);
  const { block } = paid.receipt;
  const payerChange = await readBalanceChange(rpc, token, sender.address, block);
  const credited = await readBalanceChange(rpc, token, contract, block);
  if (payerChange !== undefined && credited !== undefined) {
    const debited = -payerChange;
    if (transfers.length === 0) received = credited < debited ? credited : debited;
    else if (debited < amount && credited < amount) received = credited;
  }
  if (received < amount) throw paymentUnderpaid(toFacts(context, paid), amount, received < 0n ? 0n : received);
}

/** How much a token balance changed in a block; `undefined` if the node does not have that state. */
async function readBalanceChange(rpc: Rpc, token: string, owner: string, block: number): Promise<bigint | undefined> {
  try {
    const after = await callView(rpc, erc20, token, ["balanceOf", owner], toHex(block));
    const before = await callView(rpc, erc20, token, ["balanceOf", owner], toHex(block - 1));
    return typeof after === "bigint" && typeof before === "bigint" ? after - before : undefined;
  } catch (error) {
    if (isKeeplightError(error) && error.code !== "ABORTED") return undefined;
    throw error;
  }
}
