import type { PaymentNetwork, PaymentToken } from "../config/networks.ts";
import { invalidOption } from "../errors/input.ts";
import { type CallOptions, callOptionNames, resolveCall } from "../options.ts";
import { pickOptions } from "../validation/check-options.ts";
import { wholeNumber } from "../validation/number.ts";
import { type NetworkOptions, networkOptionNames, resolveNetwork, resolveToken } from "./chain/network.ts";
import { getTicker } from "./ticker.ts";

/** Bytes that are paid for at least: 1 MiB. */
const MIN_BYTES = 1n << 20n;

const MIB = 1n << 20n;

/** More digits than anyone needs, and few enough to compute with. */
const RATE = /^\d{1,40}(\.\d{1,40})?(e[+-]?\d{1,2})?$/;

/** What 1 MiB costs, in US dollars. */
const USD_PER_MIB = "0.00390625";

/** Bytes of the largest size that has a price. */
const MAX_BYTES = 1n << 53n;

/** What storage costs, where that is not what the network asks for by default. */
export interface RateOptions {
  /** US dollars for 1 MiB, as a number or a decimal string. Default 0.00390625. */
  usdPerMiB?: number | string | undefined;
  /** Bytes that are paid for at least, from 0 on. Default 1,048,576. */
  minimumBytes?: number | undefined;
}

export const rateOptionNames = "usdPerMiB,minimumBytes";

/** Options of a price. */
export interface PriceOptions extends CallOptions, NetworkOptions, RateOptions {
  /** What is to be paid with. Default `native`. */
  token?: PaymentToken | undefined;
}

export const priceOptionNames = [callOptionNames, networkOptionNames, rateOptionNames, "token"] as const;

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
export async function computePrice(size: number | bigint, options: PriceOptions = {}): Promise<Price> {
  resolveCall(options);
  const network = resolveNetwork(options.network);
  const token = options.token ?? "native";
  const contract = resolveToken(network, token);
  const bytes = billedBytes(size, options.minimumBytes);
  const cost = usdFor(bytes, options.usdPerMiB);
  const usd = decimalText(cost);
  if (contract) {
    const { decimals } = contract;
    return { token, amount: nearest(cost.dividend * 10n ** BigInt(decimals), cost.divisor), decimals, usd };
  }
  return { token, amount: await nativeAmount(cost, network, options), decimals: network.decimals, usd };
}

/** A price in US dollars. */
interface Cost {
  dividend: bigint;
  /** Has no prime factors but 2 and 5. */
  divisor: bigint;
}

function usdFor(bytes: bigint, usdPerMiB: unknown): Cost {
  const { digits, shift } = exactly(checkRate(usdPerMiB));
  return { dividend: bytes * digits * tenTo(shift), divisor: MIB * tenTo(-shift) };
}

function checkRate(rate: unknown = USD_PER_MIB): string {
  const text = typeof rate === "number" ? String(rate) : rate;
  if (typeof text === "string" && RATE.test(text) && Number(text) > 0) return text;
  throw invalidOption("usdPerMiB", "a number above 0, or one as a decimal string");
}

async function nativeAmount(
  { dividend, divisor }: Cost,
  { symbol, decimals }: PaymentNetwork,
  options: CallOptions,
): Promise<bigint> {
  const { digits, shift } = exactly(String(await getTicker(symbol, pickOptions(options, callOptionNames))));
  return nearest(dividend * 10n ** BigInt(decimals) * tenTo(-shift), divisor * digits * tenTo(shift));
}

function billedBytes(size: unknown, minimumBytes: unknown): bigint {
  const minimum = BigInt(wholeNumber("minimumBytes", minimumBytes, Number(MIN_BYTES)));
  const whole = typeof size === "bigint" || (typeof size === "number" && Number.isInteger(size));
  const bytes = whole ? BigInt(size as number | bigint) : -1n;
  if (bytes < 0n || bytes > MAX_BYTES) throw invalidOption("size", "a whole number of bytes from 0 to 2^53");
  return bytes < minimum ? minimum : bytes;
}

/** `dividend / divisor` to the nearest whole number, a tie going up. */
function nearest(dividend: bigint, divisor: bigint): bigint {
  return (2n * dividend + divisor) / (2n * divisor);
}

/** A number above 0 in decimal: `digits · 10^shift`. */
function exactly(decimal: string): { digits: bigint; shift: number } {
  const [mantissa = "", exponent = "0"] = decimal.split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  return { digits: BigInt(whole + fraction), shift: Number(exponent) - fraction.length };
}

/** 10^exponent; 1 for a negative exponent. */
function tenTo(exponent: number): bigint {
  return 10n ** BigInt(Math.max(exponent, 0));
}

/** The whole price as a decimal string, without zeros at the end. */
function decimalText({ dividend, divisor }: Cost): string {
  // So many places are enough: 2 and 5 go into a divisor at most as often as it has bits.
  const places = divisor.toString(2).length;
  const digits = String((dividend * 10n ** BigInt(places)) / divisor).padStart(places + 1, "0");
  const fraction = digits.slice(-places).replace(/0+$/, "");
  return `${digits.slice(0, -places)}${fraction && `.${fraction}`}`;
}
