import type { PaymentToken } from "../../base/config/networks.ts";
import { invalidOption } from "../../base/errors/input.ts";
import {
  type Operation,
  type OptionSchema,
  optional,
  resolveOptions,
  unchecked,
  wholeNumber,
} from "../../base/operation.ts";
import { type CallOptions, callSchema } from "../../base/options.ts";
import { checkEvmAddress } from "../../base/validation/address.ts";
import { type NetworkOptions, networkSchema, nodeUrls, tokenAmount, type Whole } from "../options.ts";
import type { PaymentOrder } from "../payment-order.ts";
import type { PaymentReceipt } from "./receipt.ts";

/** What was to be paid, or its order. */
type Expected<Amount extends bigint | number> =
  | {
      /** What was to be paid with. @default `native` */
      token?: PaymentToken | undefined;
      /** Who was to pay. */
      sender: string;
      /** The least that was to be paid, in the token's smallest unit. */
      amount: Amount & Whole<Amount>;
      order?: undefined;
    }
  | {
      /**
       * What `createOrder` returned, from the server's own database: one that the payer sends may be of any amount.
       * `network` is then required only for a chain that the order does not name.
       */
      order: PaymentOrder;
      token?: undefined;
      sender?: undefined;
      amount?: undefined;
    };

/** Options of {@link verifyPayment}. `timeoutMs` limits each request to a node. */
export type VerifyPaymentOptions<Amount extends bigint | number = bigint | number> = CallOptions &
  NetworkOptions &
  Expected<Amount> & {
    /** How many blocks must confirm the payment, its own included. @default the network's, else 1 */
    confirmations?: number | undefined;
    /**
     * Which payment of the transaction: a smart account can make several in one.
     *
     * @default the first of the order, or by `sender` in `token`, of at least its amount
     */
    logIndex?: number | undefined;
    /**
     * URL of the node to use instead of the network's, or of several. One or two are believed: use those that you trust.
     * Of three or more, the first three are requested at once, and two have to agree.
     *
     * @default the network's
     */
    rpc?: string | readonly string[] | undefined;
  };

const schema = {
  ...callSchema,
  ...networkSchema,
  order: unchecked<PaymentOrder>(),
  token: unchecked<PaymentToken>(),
  sender: optional(checkEvmAddress),
  amount: optional(tokenAmount),
  confirmations: optional(wholeNumber(1, 1)),
  logIndex: optional(wholeNumber(0)),
  rpc: nodeUrls,
} satisfies OptionSchema<VerifyPaymentOptions>;

export const verifyPaymentOperation = { options: schema } satisfies Operation<VerifyPaymentOptions>;

/**
 * Verifies that a transaction paid: for a server that receives its hash. What counts is the payment contract's event, with
 * its sender, token and amount, and that the token was transferred; coins also count if the payer sent them to the contract
 * and it emitted no event. Does not wait.
 *
 * A payment of an `order` is in one of its blocks and, in a token, carries its mark, so that one payment never pays two
 * orders. In a transaction of others, such as a bundler's, a mark does not prove who paid: set the `sender` of the order.
 *
 * One transaction can hold several payments, and the same one can be reported twice: credit each `id` once.
 *
 * @param hash - of the transaction that paid
 * @throws `PAYMENT_NOT_FOUND` if the chain does not have it, `PAYMENT_UNCONFIRMED` if too few blocks confirm it,
 * `PAYMENT_REVERTED`, `PAYMENT_MISMATCH` if it pays another contract, in another token by another account or for another order,
 * `PAYMENT_UNDERPAID`, `PAYMENT_REORGANISED` if its block is no longer in the chain, `WRONG_CHAIN`; `INVALID_OPTION`,
 * `INVALID_ADDRESS`, `UNSUPPORTED_NETWORK`, `TOKEN_NOT_SUPPORTED`; `RPC_REFUSED`, `INVALID_RESPONSE`, also if the
 * nodes disagree, and what every request may throw
 *
 * @example
 * const { id, amount } = await verifyPayment(hash, { network: "polygon", token: "usdc", sender, amount: 5_000_000n });
 */
export async function verifyPayment<Amount extends bigint | number>(
  hash: string,
  options: VerifyPaymentOptions<Amount>,
): Promise<PaymentReceipt> {
  const resolved = resolveOptions(schema, options);
  if (typeof hash !== "string" || !/^0x[0-9a-fA-F]{64}$/.test(hash)) {
    throw invalidOption("hash", "a transaction hash: 0x and 64 hex characters");
  }
  const { checkPayment } = await import("../lazy.ts");
  return checkPayment(hash.toLowerCase(), resolved);
}
