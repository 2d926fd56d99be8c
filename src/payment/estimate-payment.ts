import {
  type Operation,
  type OptionSchema,
  optional,
  reference,
  resolveOptions,
  unchecked,
} from "../base/operation.ts";
import { checkEvmAddress } from "../base/validation/address.ts";
import type { PaymentSigner } from "../network/ethereum/wallet/signer.ts";
import { nodeUrls, type OrderOptions, orderSchema } from "./options.ts";
import type { PaymentEstimate } from "./types.ts";

/** Options of {@link estimatePayment}. */
export type EstimateOptions<Amount extends bigint | number = bigint | number> = OrderOptions<Amount> & {
  /** The payer's address. Takes precedence over `privateKey` and `signer`. @default none */
  address?: string | undefined;
  /** The payer's private key, 64 hex characters: only its address is used. @default none */
  privateKey?: string | undefined;
  /**
   * The payer. A wallet of the page is only asked which accounts it has already shown (`eth_accounts`).
   *
   * @default none
   */
  signer?: PaymentSigner | undefined;
  /** URL of the node to use instead of the network's, or of several. @default the network's */
  rpc?: string | readonly string[] | undefined;
};

const schema = {
  ...orderSchema,
  address: optional(checkEvmAddress),
  privateKey: unchecked<string>(),
  signer: reference<PaymentSigner>(),
  rpc: nodeUrls,
} satisfies OptionSchema<EstimateOptions>;

/** A kit's account signs messages; who pays is up to each call. */
export const estimatePaymentOperation = {
  options: schema,
  at: 0,
  unbound: ["signer", "address"],
} satisfies Operation<EstimateOptions>;

/**
 * Estimates what `payWithToken` would cost with the same options: the amount, each transaction with its gas and network
 * fee, and all of it in US dollars. Opens no window, signs nothing, and also works for an address that cannot pay yet.
 *
 * @throws `UNSUPPORTED_NETWORK` 'Unsupported Network!!!', `MISSING_TOKEN` 'Token not provided!!!', `INVALID_OPTION`,
 * `INVALID_ADDRESS` (also for a wallet that has shown no account yet), `PAYMENT_REJECTED` if a signer does not show its address,
 * `TOKEN_NOT_SUPPORTED`, for a `size` in the chain's own coin `TICKER_FAILED` and, above the default of `maxAmount`,
 * `PAYMENT_ABOVE_LIMIT`, `WRONG_CHAIN`, `WRONG_CONTRACT`, `PAYMENT_REVERTED`, `PAYMENT_UNDERPAID`, `RPC_REFUSED`,
 * `INVALID_RESPONSE` and what every request may throw
 *
 * @example
 * const { usd, isAffordable } = await estimatePayment({ network: "polygon", token: "usdc", size: 5_000_000, address });
 */
export async function estimatePayment<Amount extends bigint | number>(
  options: EstimateOptions<Amount>,
): Promise<PaymentEstimate> {
  const { address, privateKey, signer, ...ordered } = resolveOptions(schema, options);
  const { computeEstimate } = await import("./lazy.ts");
  return computeEstimate(ordered, { address, privateKey, signer });
}
