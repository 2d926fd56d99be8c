import type { PaymentNetwork, PaymentToken } from "../config/networks.ts";
import { invalidOption } from "../errors/input.ts";
import { type CallOptions, resolveCall } from "../options.ts";
import { wholeNumber } from "../validation/number.ts";
import { checkText } from "../validation/text.ts";
import { resolveNetwork, resolveToken } from "./chain/network.ts";
import { fetchTicker } from "./fetch-ticker.ts";
import type { PriceOptions } from "./price-options.ts";

/** The fewest bytes that are billed: 1 MiB. */
const MIN_BYTES = 1n << 20n;

const MIB = 1n << 20n;

/** Bounds the digits, so that the exact arithmetic stays cheap. */
const RATE = /^\d{1,40}(\.\d{1,40})?(e[+-]?\d{1,2})?$/;

/** Price of 1 MiB in US dollars. */
const USD_PER_MIB = "0.00390625";

/** The largest size that has a price, in bytes. */
const MAX_BYTES = 1n << 53n;

/** The price of storage. */
export interface Price {
  /** The currency of `amount`. */
  token: PaymentToken;
  /** In the token's smallest unit. */
  amount: bigint;
  /** How many digits of `amount` are after the decimal point. */
  decimals: number;
  /** In US dollars: an exact decimal string. */
  usd: string;
}

/**
 * Computes the price of `size` bytes in exact integers: at least 1 MiB, at 0.00390625 USD per MiB, rounded to the
 * nearest unit of the token, ties up. The price in the chain's own coin is computed from {@link getTicker}.
 *
 * @param size - in bytes, 0 to 2^53
 * @throws `INVALID_OPTION`, `UNSUPPORTED_NETWORK`, `TOKEN_NOT_SUPPORTED`, `TICKER_FAILED`, `ABORTED`
 */
export async function computePrice(size: number | bigint, options: PriceOptions = {}): Promise<Price> {
  resolveCall(options);
  const network = resolveNetwork(options.network);
  const token = options.token ?? "native";
  const contract = resolveToken(network, token);
  const bytes = toBilledBytes(size, options.minimumBytes);
  const cost = computeUsd(bytes, options.usdPerMiB);
  const usd = formatDecimal(cost);
  if (contract) {
    const { decimals } = contract;
    return { token, amount: divideToNearest(cost.dividend * 10n ** BigInt(decimals), cost.divisor), decimals, usd };
  }
  return { token, amount: await computeNativeAmount(cost, network, options), decimals: network.decimals, usd };
}

/** A price in US dollars. */
interface Cost {
  dividend: bigint;
  /** Its only prime factors are 2 and 5. */
  divisor: bigint;
}

function computeUsd(bytes: bigint, usdPerMiB: unknown): Cost {
  const { digits, shift } = parseDecimal(checkRate(usdPerMiB));
  return { dividend: bytes * digits * raiseTen(shift), divisor: MIB * raiseTen(-shift) };
}

function checkRate(rate: unknown = USD_PER_MIB): string {
  const text = typeof rate === "number" ? String(rate) : rate;
  if (typeof text === "string" && RATE.test(text) && Number(text) > 0) return text;
  throw invalidOption("usdPerMiB", "a number above 0, or one as a decimal string");
}

async function computeNativeAmount(
  { dividend, divisor }: Cost,
  { symbol, decimals }: PaymentNetwork,
  options: CallOptions,
): Promise<bigint> {
  const { digits, shift } = parseDecimal(String(await fetchTicker(checkText("symbol", symbol), resolveCall(options))));
  return divideToNearest(dividend * 10n ** BigInt(decimals) * raiseTen(-shift), divisor * digits * raiseTen(shift));
}

function toBilledBytes(size: unknown, minimumBytes: unknown): bigint {
  const minimum = BigInt(wholeNumber("minimumBytes", minimumBytes, Number(MIN_BYTES)));
  const whole = typeof size === "bigint" || (typeof size === "number" && Number.isInteger(size));
  const bytes = whole ? BigInt(size as number | bigint) : -1n;
  if (bytes < 0n || bytes > MAX_BYTES) throw invalidOption("size", "a whole number of bytes from 0 to 2^53");
  return bytes < minimum ? minimum : bytes;
}

/** Rounds to the nearest integer, ties up. */
function divideToNearest(dividend: bigint, divisor: bigint): bigint {
  return (2n * dividend + divisor) / (2n * divisor);
}

/** Parses a decimal above 0 into `digits · 10^shift`, without loss. */
function parseDecimal(decimal: string): { digits: bigint; shift: number } {
  const [mantissa = "", exponent = "0"] = decimal.split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  return { digits: BigInt(whole + fraction), shift: Number(exponent) - fraction.length };
}

/** 10^exponent; 1 for a negative exponent. */
function raiseTen(exponent: number): bigint {
  return 10n ** BigInt(Math.max(exponent, 0));
}

/**
 * Converts amounts to US dollars.
 *
 * @param usdPerWhole - price of one whole coin or token
 * @returns each as an exact decimal string, then their sum
 */
export function toUsd(
  ...amounts: { amount: bigint; decimals: number; usdPerWhole: number }[]
): [sum: string, ...each: string[]] {
  const costs = amounts.map(({ amount, decimals, usdPerWhole }): Cost => {
    const { digits, shift } = parseDecimal(String(usdPerWhole));
    return { dividend: amount * digits * raiseTen(shift), divisor: 10n ** BigInt(decimals) * raiseTen(-shift) };
  });
  const sum = costs.reduce((total, { dividend, divisor }) => ({
    dividend: total.dividend * divisor + dividend * total.divisor,
    divisor: total.divisor * divisor,
  }));
  return [formatDecimal(sum), ...costs.map(formatDecimal)];
}

/** Formats the exact price as a decimal string without trailing zeros. */
function formatDecimal({ dividend, divisor }: Cost): string {
  // Enough places: 2 and 5 divide a divisor at most as many times as it has bits.
  const places = divisor.toString(2).length;
  const digits = String((dividend * 10n ** BigInt(places)) / divisor).padStart(places + 1, "0");
  const fraction = digits.slice(-places).replace(/0+$/, "");
  return `${digits.slice(0, -places)}${fraction && `.${fraction}`}`;
}
