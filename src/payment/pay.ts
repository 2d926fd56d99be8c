import { invalidOption } from "../base/errors/input.ts";
import {
  boolean,
  nonEmpty,
  type Operation,
  type OptionSchema,
  optional,
  resolveOptions,
  unchecked,
  wholeNumber,
} from "../base/operation.ts";
import type { CallOptions } from "../base/options.ts";
import { getEntries, type JournalLike, type JournalOptions, journalSchema } from "../journal/handle.ts";
import {
  choosePayer,
  type NetworkOptions,
  nodeUrls,
  type OrderOptions,
  orderSchema,
  type PayerOptions,
  payerSchema,
  type ResumePaymentOptions,
  type RunningOptions,
  resumeSchema,
  runningSchema,
  tokenAmount,
} from "./options.ts";
import type { PaymentOrder } from "./payment-order.ts";
import type { FailedPayment, Payment, ResumedPayment } from "./types.ts";

/** What is to be paid: a token's amount or size, or an order of a server. */
export type PaidOrderOptions<Amount extends bigint | number> =
  | (OrderOptions<Amount> & {
      /**
       * Names what is paid for, such as an invoice: an order is paid once. A call with the id of an earlier one continues
       * its payment or returns it; only one that has failed for good is made again. The same id requires the same network,
       * token and amount, and to continue also the same payer. Without a `journal` the chain alone remembers it.
       *
       * @default an order of its own for each call
       */
      orderId?: string | undefined;
      /**
       * Whether the payment is marked on the chain: the SHA-256 of the `orderId`, which the contract ignores, is appended
       * to the call data. Before the order is paid, and when a wallet's answer is lost, its payment is found by the mark;
       * no other payment is taken for it. Everyone can see the hash. Only with a token, as contracts need not accept coins
       * with data.
       *
       * @default `true` with an `orderId` and a token
       */
      mark?: boolean | undefined;
      order?: undefined;
    })
  | (CallOptions &
      NetworkOptions & {
        /**
         * What `createOrder` returned on a server. Its chain and contract must be those of the table of networks, or of
         * `network`; nothing is started after it has expired. Limit what a server may request by `maxAmount`.
         */
        order: PaymentOrder;
        token?: undefined;
        amount?: undefined;
        size?: undefined;
        usdPerMiB?: undefined;
        minimumBytes?: undefined;
        orderId?: undefined;
        mark?: undefined;
      });

/** Options of {@link payWithToken}. `timeoutMs` limits each request to a node. */
export type PayOptions<Amount extends bigint | number = bigint | number> = PaidOrderOptions<Amount> &
  RunningOptions &
  PayerOptions &
  JournalOptions & {
    /**
     * URL of the node to use instead of the signer's own or the network's; of several, the first that works is used,
     * and transactions are broadcast to all.
     *
     * @default the signer's, or the network's
     */
    rpc?: string | readonly string[] | undefined;
    /**
     * The most to pay, in the token's smallest unit; network fees are limited by `maxFee`.
     *
     * @default for a `size` paid in the chain's own coin, its price at the low end of the network's `priceBand`; else none
     */
    maxAmount?: bigint | number | undefined;
    /**
     * How many blocks back the payer's payments are searched before an order is paid of which nothing is known here: a
     * journal may have been lost. `0` pays without a search.
     *
     * @default the network's, else 10,000
     */
    searchBlocks?: number | undefined;
  };

const schema = {
  ...payerSchema,
  ...journalSchema,
  ...runningSchema,
  rpc: nodeUrls,
  maxAmount: optional(tokenAmount),
  orderId: optional(nonEmpty),
  mark: optional(boolean(true)),
  searchBlocks: optional(wholeNumber(0)),
  order: unchecked<PaymentOrder>(),
  ...orderSchema,
} satisfies OptionSchema<PayOptions>;

/** The operation {@link payWithToken}; `options` checks its options. A kit's signer signs messages; who pays is up to each call. */
export const payWithTokenOperation = { options: schema, at: 0, unbound: ["signer"] } satisfies Operation<PayOptions>;

/**
 * Pays for storage: with a token through its `approve` and the contract's `receiveToken`, with the chain's own coin
 * through a transfer. Before it signs anything, it checks that node and wallet are on the right chain, that the
 * contract is a payment contract and accepts the token, that network fees are within `maxFee`, and that the balance
 * covers amount and gas. Payments of one account in one process run one after the other.
 *
 * @throws before anything is signed: `UNSUPPORTED_NETWORK` 'Unsupported Network!!!', `MISSING_TOKEN` 'Token not provided!!!',
 * `MISSING_PRIVATE_KEY` 'Private Key not found!!!', `INVALID_OPTION`, `TOKEN_NOT_SUPPORTED`, `TICKER_FAILED`,
 * `PAYMENT_ABOVE_LIMIT`, `ORDER_EXPIRED`, `ORDER_UNCERTAIN`, `PAYER_BUSY`, `WRONG_CHAIN`, `WRONG_CONTRACT`, `FEE_TOO_HIGH`,
 * `INSUFFICIENT_FUNDS`, `PAYMENT_REVERTED`, `PAYMENT_UNDERPAID`, `PAYMENT_REJECTED`, `RPC_REFUSED`, `INVALID_RESPONSE` and what
 * every request may throw. Once a transaction is signed, an {@link UnfinishedPayment} with one of these codes or
 * `PAYMENT_DROPPED`, `PAYMENT_REPLACED`, `PAYMENT_CANCELLED`, `PAYMENT_REORGANISED`, `PAYMENT_TIMEOUT`, `PAYMENT_UNKNOWN`,
 * `PAYMENT_MISMATCH`, `APPROVAL_FAILED`. Once the transaction is mined and nothing is left to resume: `PAYMENT_REVERTED`,
 * `PAYMENT_UNDERPAID` with `details.hash`
 *
 * @example
 * const { hash, event } = await payWithToken({ network: "polygon", token: "usdc", size: 5_000_000, signer });
 */
export async function payWithToken<Amount extends bigint | number>(options: PayOptions<Amount>): Promise<Payment> {
  const { journal, ...running } = resolveOptions(schema, options);
  const payer = choosePayer(running);
  if (journal !== undefined) getEntries(journal);
  const { planPayment, startPayment } = await import("./lazy.ts");
  const { order, orderId } = await planPayment(running);
  order.amount = await order.quoteAmount();
  return startPayment(order, { orderId, journal }, { ...running, ...payer });
}

/** Options of {@link resumePayments}: who pays, and what {@link ResumePaymentOptions} has. */
export type ResumePaymentsOptions = Omit<ResumePaymentOptions, "signer" | "action"> &
  PayerOptions & {
    /** Which payments to complete: their ids in `journal.list()`. @default all */
    ids?: readonly string[] | undefined;
  };

const resumePaymentsSchema = {
  ...resumeSchema,
  ...payerSchema,
  ids(ids, name): string[] | undefined {
    if (ids === undefined || (Array.isArray(ids) && ids.every((id) => typeof id === "string"))) return ids;
    throw invalidOption(name, "a list of ids of operations");
  },
} satisfies OptionSchema<ResumePaymentsOptions>;

/**
 * Completes the payments of a journal that were interrupted, even by the end of their process, oldest first; one that
 * fails does not stop the others. Each is looked up on the chain first, and none is paid twice. Payments that
 * failed on the chain are reported, not made again; those of other accounts fail with `INVALID_OPTION`.
 *
 * @throws `INVALID_OPTION`, `MISSING_PRIVATE_KEY`, `CANNOT_WRITE`
 *
 * @example
 * const journal = await openJournal({ folder: "./journal" });
 * for (const report of await resumePayments(journal, { signer })) console.log(report.orderId, report);
 */
export async function resumePayments(
  journal: JournalLike,
  options: ResumePaymentsOptions,
): Promise<(ResumedPayment | FailedPayment)[]> {
  const { ids, ...running } = resolveOptions(resumePaymentsSchema, options);
  const payer = choosePayer(running);
  getEntries(journal);
  const { continuePayments } = await import("./lazy.ts");
  return continuePayments(journal, ids, { ...running, ...payer });
}
