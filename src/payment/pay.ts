import type { PaymentNetwork, PaymentToken, TokenContract } from "../config/networks.ts";
import { invalidOption } from "../errors/input.ts";
import { aboveLimit, missingPrivateKey, missingToken } from "../errors/payment-input.ts";
import type { UnfinishedError } from "../errors/unfinished.ts";
import { checkOptions, pickOptions } from "../input/check-options.ts";
import { type CallOptions, callOptionNames, resolveCall } from "../options.ts";
import { type NetworkOptions, networkOptionNames, resolveNetwork, resolveToken } from "./network.ts";
import { checkMaxFee, checkRpc, checkSigner, resolveWait, waitOptionNames } from "./pay-options.ts";
import { priceOf, type RateOptions, rateOptionNames } from "./price.ts";
import type { PaymentSigner } from "./signer.ts";

/** A transaction of a payment: `reset-allowance` only with tokens that want it, `approve` only where it is not yet. */
export type PaymentStep = "reset-allowance" | "approve" | "pay";

/** How far a payment is. */
export interface PaymentProgress {
  /** What is being done. */
  phase: "checking" | PaymentStep;
  /** Of the phase's transaction: being signed, sent, in the chain with as many confirmations as wanted. */
  state?: "signing" | "sent" | "confirmed";
  /** Of the phase's transaction, once it is known. */
  hash?: string;
  /** To the transaction in the network's explorer. */
  link?: string;
  /** 0 to 1, never falling; 1 only when the payment is confirmed. */
  fraction: number;
}

/** How to wait for transactions. */
export interface WaitOptions {
  /** Blocks that a transaction is to be in and under, itself counted. Default 1. */
  confirmations?: number | undefined;
  /** How long to wait for each transaction, in milliseconds. Default 600,000 (ten minutes). */
  waitMs?: number | undefined;
  /** Pause between two looks at a transaction, in milliseconds. Default 2,000. */
  pollMs?: number | undefined;
  /** Notified of each step. What it throws, or what a promise it returns rejects with, is ignored. */
  onProgress?: ((progress: PaymentProgress) => void) | undefined;
}

/** What a payment may cost besides its amount. */
export interface FeeOptions {
  /**
   * The most that all transactions of the payment may cost in network fees, in the smallest unit of the chain's own coin.
   * It limits what is signed; before a wallet is asked, which chooses its fees itself, it limits what the node suggests.
   *
   * @default several times what the busiest hours cost: 10 coins on Fantom and Polygon, 0.05 BNB, 0.01 ETH on Optimism,
   * 5 FIL, 50 on Filecoin's testnets, a tenth of a coin (10^17) on other chains
   */
  maxFee?: bigint | number | undefined;
}

/** Who pays. A private key goes before a signer. */
export type PayerOptions =
  | {
      /** An ethers signer, or a wallet of the page (EIP-1193). */
      signer: PaymentSigner;
      privateKey?: undefined;
    }
  | {
      /** 64 hex characters, with `0x` before them or not. It never leaves this process. */
      privateKey: string;
      signer?: undefined;
    };

/** How much is paid. */
export type AmountOptions =
  | {
      /** In the token's smallest unit. */
      amount: bigint | number;
      size?: undefined;
    }
  | {
      /** Bytes of storage to pay for, at the price of {@link getPrice}. */
      size: bigint | number;
      amount?: undefined;
    };

/** Options of {@link payWithToken}. `timeoutMs` limits each request to a node. */
export type PayOptions = CallOptions &
  NetworkOptions &
  WaitOptions &
  FeeOptions &
  PayerOptions &
  AmountOptions &
  RateOptions & {
    /** What to pay with. */
    token: PaymentToken;
    /** URL of the node to ask, instead of the signer's own or the network's. */
    rpc?: string | undefined;
    /** The most to pay, in the token's smallest unit; network fees are limited by `maxFee`. Default no limit. */
    maxAmount?: bigint | number | undefined;
  };

export const payOptionNames = [
  callOptionNames,
  networkOptionNames,
  waitOptionNames,
  rateOptionNames,
  "signer,privateKey,amount,size,token,rpc,maxAmount,maxFee",
] as const;

/** A transaction of a payment that is done. */
export interface PaymentTransaction {
  /** What it was for. */
  step: PaymentStep;
  /** Of the transaction. */
  hash: string;
  /** Number of its block. */
  block: number;
  /** In the smallest unit of the chain's own coin. */
  fee: bigint;
  /** To the transaction in the network's explorer; empty where the network has none. */
  link: string;
}

/** What the payment contract said of a payment. */
export interface ReceivedPayment {
  /** Lower-case. */
  sender: string;
  /** Lower-case; zero for the chain's own coin. */
  tokenAddress: string;
  /** The contract's number of the payment. */
  txId: bigint;
  /** In the token's smallest unit. */
  amount: bigint;
  /** Seconds since 1970. */
  timestamp: bigint;
  /** Hex; empty in every payment known. */
  data: string;
}

/** A payment that is done. */
export interface Payment {
  /** Of the transaction that paid. */
  hash: string;
  /** Number of its block. */
  block: number;
  /** To the transaction in the network's explorer; empty where the network has none. */
  link: string;
  /** In the token's smallest unit. */
  amount: bigint;
  /** What was paid with. */
  token: PaymentToken;
  /** Of the chain that was paid on. */
  chainId: number;
  /** The payer's address, lower-case. */
  from: string;
  /** The payment contract's address, lower-case. */
  contract: string;
  /** Of all transactions, in the smallest unit of the chain's own coin. */
  fee: bigint;
  /** The contract's event. Contracts need not emit one for the chain's own coin. */
  event?: ReceivedPayment;
  /** In order; the last one paid. */
  transactions: PaymentTransaction[];
}

/** What may be different when a payment is resumed; who pays what to whom may not. */
export type ResumePaymentOptions = Pick<CallOptions, "signal" | "timeoutMs"> &
  WaitOptions &
  FeeOptions & {
    /** URL of another node to ask. */
    rpc?: string | undefined;
    /** Of the same address: the same wallet after the page was loaded anew, say. */
    signer?: PaymentSigner | undefined;
  };

/**
 * A payment of which a transaction was signed, and which is not known to be done. `details.hash` is that of the latest
 * transaction, `details.transactions` are all of them. `resume()` looks them up, sends the very same signed transaction
 * again where it is lost, and goes on with steps that were never begun: it cannot pay twice, also when called twice.
 */
export type UnfinishedPayment = UnfinishedError<Payment, ResumePaymentOptions>;

/** {@link PayOptions} with everything checked that can be before anyone is asked. */
export interface Order {
  network: PaymentNetwork;
  token: PaymentToken;
  /** Nothing for the chain's own coin. */
  tokenContract: TokenContract | undefined;
  amount: bigint;
  /** Whether the amount comes from the table's decimals, which the chain's have to equal then. */
  priced: boolean;
  /** When the amount was reckoned, in milliseconds of this process's own. */
  reckonedAt: number;
  /** Reckons it anew; throws as for the first time. */
  reckon(): Promise<bigint>;
}

/**
 * Pays for storage: with a token through its `approve` and the contract's `receiveToken`, with the chain's own coin
 * through a transfer. Before anything is signed it is checked that node and wallet are on the right chain, that the
 * contract is one and takes the token, that network fees are within `maxFee`, and that the balance covers amount and
 * gas. Payments of one account in one process go one after the other.
 *
 * @throws before anything is signed: `UNSUPPORTED_NETWORK` 'Unsupported Network!!!', `MISSING_TOKEN`
 * 'Token not provided!!!', `MISSING_PRIVATE_KEY` 'Private Key not found!!!', `INVALID_OPTION`, `TOKEN_NOT_SUPPORTED`,
 * `TICKER_FAILED`, `PAYMENT_ABOVE_LIMIT`, `WRONG_CHAIN`, `WRONG_CONTRACT`, `FEE_TOO_HIGH`, `INSUFFICIENT_FUNDS`,
 * `PAYMENT_REVERTED`, `PAYMENT_SHORT`, `PAYMENT_REJECTED`, `RPC_REFUSED`, `INVALID_ANSWER` and what every request may throw. Once a
 * transaction was signed an {@link UnfinishedPayment}, with one of these codes or `PAYMENT_DROPPED`, `PAYMENT_REPLACED`,
 * `PAYMENT_REORGANISED`, `PAYMENT_TIMEOUT`, `PAYMENT_UNKNOWN`, `APPROVAL_FAILED`. When the transaction is in the chain and
 * there is nothing to resume: `PAYMENT_REVERTED`, `PAYMENT_SHORT` with `details.hash`
 *
 * @example
 * const { hash, event } = await payWithToken({ network: "polygon", token: "usdc", size: 5_000_000, signer });
 */
export async function payWithToken(options: PayOptions): Promise<Payment> {
  checkOptions(options, payOptionNames);
  const given: Partial<PayOptions> = options ?? {};
  const call = resolveCall(given);
  const network = resolveNetwork(given.network);
  const { token } = given;
  const tokenContract = resolveToken(network, token);
  if (token === undefined) throw missingToken();
  const payer = checkPayer(given);
  const rpc = checkRpc(given.rpc);
  const waiting = resolveWait(given);
  const maxFee = checkMaxFee(given.maxFee);
  const maxAmount = given.maxAmount === undefined ? undefined : checkAmount("maxAmount", given.maxAmount);
  const wanted = { ...given };
  const reckon = async (): Promise<bigint> => {
    const amount = await amountOf(wanted, network, token);
    if (maxAmount !== undefined && amount > maxAmount) throw aboveLimit(amount, maxAmount);
    return amount;
  };
  const priced = given.amount === undefined;
  const order: Order = { network, token, tokenContract, priced, reckon, reckonedAt: performance.now(), amount: 0n };
  order.amount = await reckon();
  const { startPayment } = await import("./run.ts");
  return startPayment(order, { ...payer, ...waiting, rpc, maxFee, signal: call.signal, timeoutMs: call.timeoutMs });
}

function checkPayer({ privateKey, signer }: Partial<PayOptions>): { privateKey?: string; signer?: PaymentSigner } {
  if (privateKey !== undefined && privateKey !== "") {
    if (typeof privateKey === "string" && /^(0x)?[0-9a-fA-F]{64}$/.test(privateKey)) return { privateKey };
    throw invalidOption("privateKey", "64 hex characters");
  }
  if (signer === undefined) throw missingPrivateKey();
  return { signer: checkSigner(signer) };
}

async function amountOf(options: Partial<PayOptions>, network: PaymentNetwork, token: PaymentToken): Promise<bigint> {
  const { amount, size } = options;
  if ((amount === undefined) === (size === undefined)) throw invalidOption("amount", "an amount or else a size");
  if (amount !== undefined) return checkAmount("amount", amount);
  if (size === undefined) throw invalidOption("size", "a number of bytes");
  const own = pickOptions(options, [callOptionNames, rateOptionNames]);
  return checkAmount("amount", (await priceOf(size, { ...own, network, token })).amount);
}

function checkAmount(option: string, value: unknown): bigint {
  const amount = typeof value === "bigint" || Number.isSafeInteger(value) ? BigInt(value as bigint | number) : 0n;
  if (amount < 1n || amount >= 1n << 256n) throw invalidOption(option, "a whole number of the token's smallest unit");
  return amount;
}
