import { Transaction } from "ethers/transaction";
import { throwIfAborted, untilAborted } from "../../async/abort.ts";
import { isKeeplightError } from "../../errors/base.ts";
import { paymentRejected, paymentReverted, paymentUnknown, rpcRefused, wrongSignature } from "../../errors/payment.ts";
import { isRejection, readProviderError, toSafeCause } from "../../errors/provider-error.ts";
import { isNodeError } from "../../ethereum/node-errors.ts";
import { readRevertData } from "../chain/decode-revert.ts";
import { getNonce, requestQuantity } from "../chain/eth-rpc.ts";
import { estimateFees, type Fees } from "../chain/fees.ts";
import type { SigningSender, WalletSender } from "../wallet/sender.ts";
import type { TransactionFields } from "../wallet/signer.ts";
import { checkChain } from "./checks.ts";
import { type Context, type SentTransaction, type StepRequest, toFacts } from "./context.ts";
import { capGasToBalance, checkFee, type StepCost } from "./gas.ts";
import { claimHash, isClaimedByOther } from "./transaction-registry.ts";

/** How many otherwise identical transactions can be distinguished, by one unit of gas each. */
const MAX_IDENTICAL_TRANSACTIONS = 100n;

/** Error codes of a wallet, besides a rejection, by which it sent nothing: unauthorised, unsupported, malformed. */
const NOT_SENT = new Set([4100, 4200, -32600, -32601, -32602]);

/**
 * Signs and sends a transaction. It is added to `sent` as soon as it may have been sent, and removed only if it
 * certainly was not.
 *
 * @param sent - the payment's transactions so far
 * @throws `FEE_TOO_HIGH`, `INSUFFICIENT_FUNDS`, `PAYMENT_REVERTED`, `PAYMENT_REJECTED`, `PAYMENT_UNKNOWN`,
 * `INVALID_SIGNATURE`, `WRONG_CHAIN`; what {@link Rpc} throws
 */
export async function send(context: Context, request: StepRequest, sent: SentTransaction[]): Promise<void> {
  const { rpc, sender } = context;
  const fees = await estimateFees(rpc);
  const committed = sent.reduce((sum, { worstCaseFee }) => sum + worstCaseFee, 0n);
  const cost = await capGasToBalance(context, request, fees, committed);
  const fromBlock = Number(await requestQuantity(rpc, "eth_blockNumber"));
  const noncesUsed = await getNonce(rpc, sender.address, "latest");
  const worstCaseFee = cost.gasLimit * fees.perGas + cost.l1Fee;
  const id = Symbol(request.step);
  const transaction: SentTransaction = { ...request, id, fromBlock, noncesUsed, worstCaseFee, wasMined: false };
  context.report(request.step, "signing");
  if (sender.kind === "wallet") {
    await checkChain(context);
    sent.push(transaction);
    const { to, data, value } = request;
    const fields = { chainId: context.order.network.chainId, to, data, value };
    // Claimed as soon as the wallet responds, even if the caller has stopped waiting by then.
    transaction.walletResponse = requestWallet(sender, fields).then((hash) => {
      claimHash(transaction, hash);
      return hash;
    });
    await waitForWallet(context, transaction, sent);
    return;
  }
  // A lagging node may not know the previous step yet.
  const minNonce = (sent.at(-1)?.nonce ?? -1) + 1;
  transaction.nonce = Math.max(await getNonce(rpc, sender.address, "pending"), minNonce);
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
  for (let extraGas = 0n; extraGas < MAX_IDENTICAL_TRANSACTIONS; extraGas++) {
    const fields = { ...fees.fields, gasLimit: cost.gasLimit + extraGas, chainId, nonce, to, data, value };
    const signing = Promise.resolve().then(() => sender.sign(fields));
    const raw = await untilAborted(signing, signal).catch((error: unknown) => {
      throw isKeeplightError(error) ? error : paymentRejected(step, toSafeCause(readProviderError(error)));
    });
    throwIfAborted(signal);
    const { hash, gasFee } = checkSigned(raw, transaction, sender.address, chainId);
    transaction.worstCaseFee = gasFee + cost.l1Fee;
    checkFee(context, step, committed + transaction.worstCaseFee);
    // Identical transactions at one nonce share a hash; vary the gas limit so each payment has its own.
    if (isClaimedByOther(transaction, hash)) continue;
    claimHash(transaction, hash);
    transaction.hash = hash;
    transaction.raw = raw;
    return;
  }
  throw wrongSignature(step);
}

/**
 * Checks that an external signer signed the requested transaction. Its fees may differ and are returned. Transaction
 * types above 2 are refused: they could cost more than gas, or do more than requested.
 */
function checkSigned(
  raw: string,
  request: SentTransaction,
  from: string,
  chainId: number,
): { hash: string; gasFee: bigint } {
  let signed: Transaction | undefined;
  try {
    signed = Transaction.from(raw);
  } catch {
    // Not a transaction: refused below.
  }
  const same =
    signed?.from?.toLowerCase() === from &&
    signed.to?.toLowerCase() === request.to.toLowerCase() &&
    signed.data === request.data &&
    signed.value === request.value &&
    signed.nonce === request.nonce &&
    signed.chainId === BigInt(chainId) &&
    (signed.type ?? 0) <= 2;
  const perGas = signed?.maxFeePerGas ?? signed?.gasPrice;
  if (!same || !signed?.hash || typeof perGas !== "bigint") throw wrongSignature(request.step);
  return { hash: signed.hash, gasFee: signed.gasLimit * perGas };
}

/**
 * Sends a signed transaction, for the first time or again. If the response is lost, or reports that the transaction is
 * known or its nonce used, the caller finds out by polling the chain.
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
    if (error.code === "RPC_REFUSED" && !isNodeError(error, "nonceTaken")) throw error;
  }
  context.report(step, "sent", hash);
}

async function requestWallet(sender: WalletSender, fields: TransactionFields): Promise<string> {
  const hash: unknown = await sender.send(fields);
  if (typeof hash === "string" && /^0x[0-9a-fA-F]{64}$/.test(hash)) return hash.toLowerCase();
  throw rpcRefused("eth_sendTransaction", { code: undefined, message: "it returned no hash", data: undefined });
}

/**
 * Waits for the wallet's response, for as long as its window is open.
 *
 * @throws `PAYMENT_REJECTED`, `PAYMENT_REVERTED`; `PAYMENT_UNKNOWN` if the wallet failed but may have sent it;
 * `ABORTED`
 */
export async function waitForWallet(
  context: Context,
  transaction: SentTransaction,
  sent: SentTransaction[],
): Promise<void> {
  const { walletResponse, step } = transaction;
  if (!walletResponse) return;
  try {
    transaction.hash = await untilAborted(walletResponse, context.signal);
  } catch (error) {
    if (isKeeplightError(error) && error.code === "ABORTED") throw error;
    transaction.walletResponse = undefined;
    const walletError = readProviderError(error);
    const reverted = walletError.code === 3 || walletError.data !== undefined;
    if (!reverted && !isRejection(walletError) && !NOT_SENT.has(walletError.code ?? 0)) {
      throw paymentUnknown(toFacts(context, transaction), toSafeCause(walletError));
    }
    sent.splice(sent.indexOf(transaction), 1);
    if (!reverted) throw paymentRejected(step, toSafeCause(walletError));
    const refusal = rpcRefused("eth_sendTransaction", walletError);
    throw paymentReverted({ step }, readRevertData(refusal), refusal);
  }
  transaction.walletResponse = undefined;
  context.report(step, "sent", transaction.hash);
}
