import type { Interface } from "ethers/abi";
import { isKeeplightError } from "../../errors/base.ts";
import { paymentReverted, paymentUnderpaid } from "../../errors/payment.ts";
import { erc20, paymentContract } from "../chain/abi.ts";
import { readRevertData } from "../chain/decode-revert.ts";
import { callFields, callView, type Log, type Receipt, toHex } from "../chain/eth-rpc.ts";
import type { Rpc } from "../chain/rpc.ts";
import type { Payment, PaymentTransaction, ReceivedPayment } from "../types.ts";
import { type Context, linkTo, type SentTransaction, toFacts } from "./context.ts";

/** A transaction that is in the chain for good. */
export type MinedTransaction = SentTransaction & { hash: string; receipt: Receipt };

export function isMined(transaction: SentTransaction): transaction is MinedTransaction {
  return transaction.receipt !== undefined && transaction.hash !== undefined;
}

/** The error of a transaction that is in the chain and did nothing, with the contract's reason if it says it again. */
export async function decodeRevertReason(context: Context, transaction: MinedTransaction): Promise<Error> {
  const { rpc, sender } = context;
  const { receipt } = transaction;
  const call = callFields({ from: sender.address, ...transaction });
  const again = await rpc("eth_call", [call, toHex(receipt.block)]).then(
    () => undefined,
    (error: unknown) => error,
  );
  return paymentReverted(toFacts(context, transaction), readRevertData(again));
}

/**
 * What a payment that is in the chain comes to.
 *
 * @throws `PAYMENT_UNDERPAID` if the token did not hand the whole amount over
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
      link: linkTo(order, hash),
    }),
  );
  const event = findEvent(paid.receipt, network.contract);
  return {
    hash: paid.hash,
    block: paid.receipt.block,
    link: linkTo(order, paid.hash),
    amount,
    token,
    chainId: network.chainId,
    from: sender.address,
    contract: network.contract.toLowerCase(),
    fee: transactions.reduce((sum, { fee }) => sum + fee, 0n),
    ...(event ? { event } : {}),
    transactions,
  };
}

function findEvent({ logs }: Receipt, contract: string): ReceivedPayment | undefined {
  const [args] = findEvents(logs, contract, paymentContract, "ReceivedPayment");
  if (!args) return undefined;
  const [sender, tokenAddress, txId, amount, timestamp, data] = args as [
    string,
    string,
    bigint,
    bigint,
    bigint,
    string,
  ];
  return { sender: sender.toLowerCase(), tokenAddress: tokenAddress.toLowerCase(), txId, amount, timestamp, data };
}

/**
 * The arguments of every event of this name that the contract emitted. Events of the same name and types whose fields are
 * indexed otherwise cannot be read, and are left out.
 */
function findEvents(logs: readonly Log[], contract: string, abi: Interface, name: string): unknown[][] {
  return logs.flatMap((log) => {
    if (log.address.toLowerCase() !== contract.toLowerCase()) return [];
    try {
      const parsed = abi.parseLog(log);
      return parsed?.name === name ? [[...parsed.args]] : [];
    } catch {
      return [];
    }
  });
}

/**
 * A token that takes a fee emits an event of less; one that lies may emit what it likes, but balances tell. They are all
 * there is where a token's events cannot be read.
 */
async function checkReceived(context: Context, token: string, paid: MinedTransaction): Promise<void> {
  const { order, rpc, sender } = context;
  const { contract } = order.network;
  const { amount } = order;
  const transfers = findEvents(paid.receipt.logs, token, erc20, "Transfer").filter(
    ([from, to]) =>
      String(from).toLowerCase() === sender.address && String(to).toLowerCase() === contract.toLowerCase(),
  );
  let received = transfers.reduce((sum, [, , value]) => sum + BigInt(value as bigint), 0n);
  const { block } = paid.receipt;
  const left = await change(rpc, token, sender.address, block);
  const came = await change(rpc, token, contract, block);
  if (left !== undefined && came !== undefined) {
    if (transfers.length === 0) received = came < -left ? came : -left;
    else if (-left < amount && came < amount) received = came;
  }
  if (received < amount) throw paymentUnderpaid(toFacts(context, paid), amount, received < 0n ? 0n : received);
}

/** How much more of a token an address had after a block than before it, where the node can tell. */
async function change(rpc: Rpc, token: string, owner: string, block: number): Promise<bigint | undefined> {
  try {
    const after = await callView(rpc, erc20, token, ["balanceOf", owner], toHex(block));
    const before = await callView(rpc, erc20, token, ["balanceOf", owner], toHex(block - 1));
    return typeof after === "bigint" && typeof before === "bigint" ? after - before : undefined;
  } catch (error) {
    if (isKeeplightError(error) && error.code !== "ABORTED") return undefined;
    throw error;
  }
}
