import type { PaymentNetwork, PaymentToken } from "../config/networks.ts";
import { invalidOption } from "../errors/input.ts";
import { pickOptions } from "../input/check-options.ts";
import { type CallOptions, callOptionNames, resolveCall } from "../options.ts";
import { type NetworkOptions, networkOptionNames, resolveNetwork, resolveToken } from "./network.ts";
import { getTicker } from "./ticker.ts";

/** Bytes that are paid for at least. */
const MIN_BYTES = 1_048_576n;

/** Bytes that cost one US dollar: 1 MiB costs 0.00390625. */
const BYTES_PER_USD = 1n << 28n;

/** Bytes of the largest size that has a price. */
const MAX_BYTES = 1n << 53n;

/** Options of a price. */
export interface PriceOptions extends CallOptions, NetworkOptions {
  /** What is to be paid with. Default `native`. */
  token?: PaymentToken | undefined;
}

export const priceOptionNames = [callOptionNames, networkOptionNames, "token"] as const;

/** What storage costs. */
export interface Price {
  /** What the amount is of. */
  token: PaymentToken;
  /** In the token's smallest unit. */
  amount: bigint;
  /** How many digits of `amount` are behind the point. */
  decimals: number;
  /** In US dollars: an exact decimal text. */
  usd: string;
}

/**
 * What `size` bytes cost, in exact whole numbers: at least 1 MiB, at 0.00390625 USD per MiB, to the nearest unit of the
 * token, a tie going up. The chain's own coin is reckoned by {@link getTicker}.
 *
 * @param size - in bytes, from 0 to 2^53
 * @throws `INVALID_OPTION`, `UNSUPPORTED_NETWORK`, `TOKEN_NOT_SUPPORTED`, `TICKER_FAILED`, `ABORTED`
 */
export async function priceOf(size: number | bigint, options: PriceOptions = {}): Promise<Price> {
  resolveCall(options);
  const network = resolveNetwork(options.network);
  const token = options.token ?? "native";
  const contract = resolveToken(network, token);
  const bytes = billedBytes(size);
  const usd = decimalText(bytes, 28);
  if (contract) {
    const { decimals } = contract;
    return { token, amount: nearest(bytes * 10n ** BigInt(decimals), BYTES_PER_USD), decimals, usd };
  }
  return { token, amount: await nativeAmount(bytes, network, options), decimals: network.decimals, usd };
}

async function nativeAmount(
  bytes: bigint,
  { symbol, decimals }: PaymentNetwork,
  options: CallOptions,
): Promise<bigint> {
  const { digits, shift } = exactly(await getTicker(symbol, pickOptions(options, callOptionNames)));
  const units = bytes * 10n ** BigInt(decimals);
  return shift < 0
    ? nearest(units * 10n ** BigInt(-shift), digits * BYTES_PER_USD)
    : nearest(units, digits * 10n ** BigInt(shift) * BYTES_PER_USD);
}

function billedBytes(size: unknown): bigint {
  const whole = typeof size === "bigint" || (typeof size === "number" && Number.isInteger(size));
  const bytes = whole ? BigInt(size as number | bigint) : -1n;
  if (bytes < 0n || bytes > MAX_BYTES) throw invalidOption("size", "a whole number of bytes from 0 to 2^53");
  return bytes < MIN_BYTES ? MIN_BYTES : bytes;
}

/** `dividend / divisor` to the nearest whole number, a tie going up. */
function nearest(dividend: bigint, divisor: bigint): bigint {
  return (2n * dividend + divisor) / (2n * divisor);
}

/** A number above 0 as the decimal text that stands for it: `digits · 10^shift`. */
function exactly(value: number): { digits: bigint; shift: number } {
  const [mantissa = "", exponent = "0"] = String(value).split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  return { digits: BigInt(whole + fraction), shift: Number(exponent) - fraction.length };
}

/** `value / 2^bits` as a decimal text without an end of zeros. */
function decimalText(value: bigint, bits: number): string {
  const digits = String(value * 5n ** BigInt(bits)).padStart(bits + 1, "0");
  return `${digits.slice(0, -bits)}.${digits.slice(-bits)}`.replace(/\.?0+$/, "");
}
