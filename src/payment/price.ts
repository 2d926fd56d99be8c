import type { PaymentToken } from "../base/config/networks.ts";
import { resolveNetwork, resolveToken } from "../base/config/resolve-network.ts";
import type { Resolved } from "../base/operation.ts";
import type { ResolvedCall } from "../base/options.ts";
import type { networkSchema, rateSchema } from "./options.ts";
import { fetchTicker } from "./ticker.ts";
import type { PaymentEstimate } from "./types.ts";

/** The price of storage. */
export interface Price extends Pick<PaymentEstimate, "token" | "amount" | "decimals"> {
  /** In US dollars: an exact decimal string. */
  usd: string;
}

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
  const usdPerWhole = contract ? 1 : await fetchTicker(network.symbol, call);
  const { decimals } = contract ?? network;
  return { token, decimals, ...computeAmount(size, { usdPerMiB, minimumBytes }, { decimals, usdPerWhole }) };
}

/** Computes a price from that of one whole coin or token: rounded to the nearest unit, ties up. */
export function computeAmount(
  size: bigint,
  { usdPerMiB, minimumBytes }: Resolved<typeof rateSchema>,
  { decimals, usdPerWhole }: { decimals: number; usdPerWhole: number },
): Pick<Price, "amount" | "usd"> {
  const minimum = BigInt(minimumBytes);
  // 2^20 bytes are a MiB, and 2^-20 is 5^20 · 10^-20.
  const mib = { digits: (size < minimum ? minimum : size) * 5n ** 20n, shift: -20 };
  const cost = multiply(mib, parseDecimal(usdPerMiB));
  const price = parseDecimal(String(usdPerWhole));
  const shift = cost.shift + decimals - price.shift;
  const [dividend, divisor] = [cost.digits * raiseTen(shift), price.digits * raiseTen(-shift)];
  return { amount: (2n * dividend + divisor) / (2n * divisor), usd: formatDecimal(cost) };
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
    multiply({ digits: amount, shift: -decimals }, parseDecimal(String(usdPerWhole))),
  );
  const shift = Math.min(...costs.map((cost) => cost.shift));
  const sum = costs.reduce((total, cost) => total + cost.digits * raiseTen(cost.shift - shift), 0n);
  return [formatDecimal({ digits: sum, shift }), ...costs.map(formatDecimal)];
}

/** The number `digits · 10^shift`. */
interface Decimal {
  digits: bigint;
  shift: number;
}

function multiply(a: Decimal, b: Decimal): Decimal {
  return { digits: a.digits * b.digits, shift: a.shift + b.shift };
}

/** Parses a decimal above 0, without loss. */
function parseDecimal(decimal: string): Decimal {
  const [mantissa = "", exponent = "0"] = decimal.split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  return { digits: BigInt(whole + fraction), shift: Number(exponent) - fraction.length };
}

/** 10^exponent; 1 for a negative exponent. */
function raiseTen(exponent: number): bigint {
  return 10n ** BigInt(Math.max(exponent, 0));
}

/** Formats a number as a decimal string without trailing zeros. */
function formatDecimal({ digits, shift }: Decimal): string {
  const places = Math.max(-shift, 0);
  const text = String(digits * raiseTen(shift)).padStart(places + 1, "0");
  const point = text.length - places;
  const fraction = text.slice(point).replace(/0+$/, "");
  return `${text.slice(0, point)}${fraction && `.${fraction}`}`;
}
