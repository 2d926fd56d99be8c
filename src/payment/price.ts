import type { PaymentToken } from "../base/config/networks.ts";
import { nonEmpty, type Resolved } from "../base/operation.ts";
import type { ResolvedCall } from "../base/options.ts";
import { resolveNetwork, resolveToken } from "./chain/network.ts";
import type { networkSchema, rateSchema } from "./options.ts";
import { fetchTicker } from "./ticker.ts";

const MIB = 1n << 20n;

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

/** Options of a price, resolved but for the network. */
type ResolvedPriceOptions = ResolvedCall & Resolved<typeof networkSchema & typeof rateSchema> & { token: PaymentToken };

/**
 * Computes the price of so many bytes in exact integers: at least `minimumBytes`, rounded to the nearest unit of the
 * token, ties up. The price in the chain's own coin is computed from {@link getTicker}.
 *
 * @throws `UNSUPPORTED_NETWORK`, `TOKEN_NOT_SUPPORTED`, `INVALID_OPTION`, `TICKER_FAILED`, `ABORTED`
 */
export async function computePrice(
  size: bigint,
  { network: named, token, usdPerMiB, minimumBytes, ...call }: ResolvedPriceOptions,
): Promise<Price> {
  const network = resolveNetwork(named);
  const contract = resolveToken(network, token);
  const minimum = BigInt(minimumBytes);
  const cost = multiply(size < minimum ? minimum : size, MIB, usdPerMiB);
  const usd = formatDecimal(cost);
  const { decimals } = contract ?? network;
  const units = cost.dividend * 10n ** BigInt(decimals);
  if (contract) return { token, amount: divideToNearest(units, cost.divisor), decimals, usd };
  const { digits, shift } = parseDecimal(String(await fetchTicker(nonEmpty(network.symbol, "symbol"), call)));
  const amount = divideToNearest(units * raiseTen(-shift), cost.divisor * digits * raiseTen(shift));
  return { token, amount, decimals, usd };
}

/** A price in US dollars. */
interface Cost {
  dividend: bigint;
  /** Its only prime factors are 2 and 5. */
  divisor: bigint;
}

/** The price of an amount, of which each `unit` costs `usdPerUnit`. */
function multiply(amount: bigint, unit: bigint, usdPerUnit: string): Cost {
  const { digits, shift } = parseDecimal(usdPerUnit);
  return { dividend: amount * digits * raiseTen(shift), divisor: unit * raiseTen(-shift) };
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
  const costs = amounts.map(({ amount, decimals, usdPerWhole }) =>
    multiply(amount, 10n ** BigInt(decimals), String(usdPerWhole)),
  );
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
