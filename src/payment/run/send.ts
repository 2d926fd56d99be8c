import { Transaction } from "ethers/transaction";
import { throwIfAborted, untilAborted } from "../../async/abort.ts";
import { isKeeplightError } from "../../errors/base.ts";
import { paymentRejected, paymentReverted, paymentUnknown, rpcRefused, wrongSignature } from "../../errors/payment.ts";
import { isRejection, readProviderError, toSafeCause } from "../../errors/provider-error.ts";
import { readRevertData } from "../chain/decode-revert.ts";
import { ask, getNonce } from "../chain/eth-rpc.ts";
import { currentFees, type Fees } from "../chain/fees.ts";
import type { SigningSender, WalletSender } from "../wallet/sender.ts";
import type { TransactionFields } from "../wallet/signer.ts";
import { checkChain } from "./checks.ts";
import { type Context, type SentTransaction, type StepRequest, toFacts } from "./context.ts";
import { capGasToBalance, checkFee, type StepCost } from "./gas.ts";
import { claimHash, isClaimedByOther } from "./transaction-registry.ts";

/** How many payments that are alike in everything may be told apart, by a unit of gas each. */
const MAX_IDENTICAL_TRANSACTIONS = 100n;

/** Answers of a wallet, besides a rejection, that mean that it sent nothing: unauthorised, unsupported, malformed. */
const NOT_SENT = new Set([4100, 4200, -32600, -32601, -32602]);

/**
 * Makes a transaction and sends it. From the moment it might be sent it is in `sent`, and there it stays unless it
 * certainly was not.
 *
 * @param sent - the payment's transactions so far
 * @throws `FEE_TOO_HIGH`, `INSUFFICIENT_FUNDS`, `PAYMENT_REVERTED`, `PAYMENT_REJECTED`, `PAYMENT_UNKNOWN`,
 * `INVALID_SIGNATURE`, `WRONG_CHAIN`; what {@link Rpc} throws
 */
export async function send(context: Context, request: StepRequest, sent: SentTransaction[]): Promise<void> {
  const { rpc, sender } = context;
  const fees = await currentFees(rpc);
  const committed = sent.reduce((sum, { mostFee }) => sum + mostFee, 0n);
  const cost = await capGasToBalance(context, request, fees, committed);
  const fromBlock = Number(await ask(rpc, "eth_blockNumber"));
  const noncesUsed = await getNonce(rpc, sender.address, "latest");
  const mostFee = cost.gasLimit * fees.perGas + cost.below;
  const id = Symbol(request.step);
  const transaction: SentTransaction = { ...request, id, fromBlock, noncesUsed, mostFee, wasMined: false };
  context.tell(request.step, "signing");
  if (sender.kind === "wallet") {
    await checkChain(context);
    sent.push(transaction);
    const { to, data, value } = request;
    const fields = { chainId: context.order.network.chainId, to, data, value };
    // Noted whenever the answer comes: by then nobody may be waiting for it.
    transaction.asked = askWallet(sender, fields).then((hash) => {
      claimHash(transaction, hash);
      return hash;
    });
    await awaitWallet(context, transaction, sent);
    return;
  }
  // A node that lags behind may not know yet of the step before.
  const least = (sent.at(-1)?.nonce ?? -1) + 1;
  transaction.nonce = Math.max(await getNonce(rpc, sender.address, "pending"), least);
  await sign(context, sender, transaction, { fees, cost, committed });
  sent.push(transaction);
  await broadcast(context, transaction);
}

async function sign(
  context: Context,
  sender: SigningSender,
  transaction: SentTransaction,
  { fees, cost, committed }: { fees: Fees; cost: StepCost; committed: bigint },
): Promise<void> {
  const { order, signal } = context;
  const { step, to, data, value, nonce } = transaction;
  if (nonce === undefined) return;
  const { chainId } = order.network;
  for (let more = 0n; more < MAX_IDENTICAL_TRANSACTIONS; more++) {
    const asked = { ...fees.fields, gasLimit: cost.gasLimit + more, chainId, nonce, to, data, value };
    const signing = Promise.resolve().then(() => sender.sign(asked));
    const raw = await untilAborted(signing, signal).catch((error: unknown) => {
      throw isKeeplightError(error) ? error : paymentRejected(step, toSafeCause(readProviderError(error)));
    });
    throwIfAborted(signal);
    const { hash, feeForGas } = checkSigned(raw, transaction, sender.address, chainId);
    transaction.mostFee = feeForGas + cost.below;
    checkFee(context, step, committed + transaction.mostFee);
    // Two payments of the same amount in the same place would be one transaction: then neither could tell which is paid.
    if (isClaimedByOther(transaction, hash)) continue;
    claimHash(transaction, hash);
    transaction.hash = hash;
    transaction.raw = raw;
    return;
  }
  throw wrongSignature(step);
}

/**
 * A signer elsewhere may sign whatever it likes: only what was asked for is sent. Fees may be others, and are returned.
 * Types above 2 could cost besides gas, or do more than what was asked for.
 */
function checkSigned(
  raw: string,
  asked: SentTransaction,
  from: string,
  chainId: number,
): { hash: string; feeForGas: bigint } {
  let signed: Transaction | undefined;
  try {
    signed = Transaction.from(raw);
  } catch {
    // It is not even a transaction.
  }
  const same =
    signed?.from?.toLowerCase() === from &&
    signed.to?.toLowerCase() === asked.to.toLowerCase() &&
    signed.data === asked.data &&
    signed.value === asked.value &&
    signed.nonce === asked.nonce &&
    signed.chainId === BigInt(chainId) &&
    (signed.type ?? 0) <= 2;
  const perGas = signed?.maxFeePerGas ?? signed?.gasPrice;
  if (!same || !signed?.hash || typeof perGas !== "bigint") throw wrongSignature(asked.step);
  return { hash: signed.hash, feeForGas: signed.gasLimit * perGas };
}

/**
 * Sends a signed transaction, for the first time or again. Where the answer is lost, or says that its place is taken or
 * that it is known already, a look at the chain will tell.
 *
 * @throws `RPC_REFUSED`, `ABORTED`
 */
export async function broadcast(
  context: Context,
  { step, raw, hash }: Pick<SentTransaction, "step" | "raw" | "hash">,
): Promise<void> {
  try {
    await context.rpc("eth_sendRawTransaction", [raw]);
  } catch (error) {
    if (!isKeeplightError(error) || error.code === "ABORTED") throw error;
    const refused = error.code === "RPC_REFUSED";
    if (refused && !/known|imported|exists|nonce|underpriced/i.test(error.message)) throw error;
  }
  context.tell(step, "sent", hash);
}

async function askWallet(sender: WalletSender, fields: TransactionFields): Promise<string> {
  const hash: unknown = await sender.send(fields);
  if (typeof hash === "string" && /^0x[0-9a-fA-F]{64}$/.test(hash)) return hash.toLowerCase();
  throw rpcRefused("eth_sendTransaction", { code: undefined, message: "it gave no hash", data: undefined });
}

/**
 * Waits for the wallet's answer, for as long as its window is open.
 *
 * @throws `PAYMENT_REJECTED`, `PAYMENT_REVERTED`; `PAYMENT_UNKNOWN` if the wallet may have sent it all the same; `ABORTED`
 */
export async function awaitWallet(
  context: Context,
  transaction: SentTransaction,
  sent: SentTransaction[],
): Promise<void> {
  const { asked, step } = transaction;
  if (!asked) return;
  try {
    transaction.hash = await untilAborted(asked, context.signal);
  } catch (error) {
    if (isKeeplightError(error) && error.code === "ABORTED") throw error;
    transaction.asked = undefined;
    const foreign = readProviderError(error);
    const reverted = foreign.code === 3 || foreign.data !== undefined;
    if (!reverted && !isRejection(foreign) && !NOT_SENT.has(foreign.code ?? 0)) {
      throw paymentUnknown(toFacts(context, transaction), toSafeCause(foreign));
    }
    sent.splice(sent.indexOf(transaction), 1);
    if (!reverted) throw paymentRejected(step, toSafeCause(foreign));
    const refusal = rpcRefused("eth_sendTransaction", foreign);
    throw paymentReverted({ step }, readRevertData(refusal), refusal);
  }
  transaction.asked = undefined;
  context.tell(step, "sent", transaction.hash);
}
