import { unchecked } from "../base/checks.ts";
import type { PaymentToken } from "../base/config/networks.ts";
import { invalidSource } from "../base/errors/input.ts";
import { type Operation, type OptionSchema, resolveOptions } from "../base/operation.ts";
import { type CallOptions, callSchema } from "../base/options.ts";
import { copySource, listSourceFiles, type Source } from "../storage/upload/source.ts";
import { byteCount, type NetworkOptions, networkSchema, type RateOptions, rateSchema } from "./options.ts";
import type { Price } from "./price.ts";

/** Options of a price. */
export interface PriceOptions extends CallOptions, NetworkOptions, RateOptions {
  /** What to pay with. @default `native` */
  token?: PaymentToken | undefined;
}

/** Options of {@link getPrice}. */
export interface GetPriceOptions extends PriceOptions {
  /** Name for a source that has none, such as a bare stream. @default `blob` */
  name?: string | undefined;
}

const schema = {
  ...callSchema,
  ...networkSchema,
  ...rateSchema,
  token: (token) => (token ?? "native") as PaymentToken,
  name: unchecked<string>(),
} satisfies OptionSchema<GetPriceOptions>;

/** The operation {@link getPrice}; `options` checks its options. */
export const getPriceOperation = { options: schema } satisfies Operation<GetPriceOptions>;

/**
 * Computes the price of storing a file, a folder, several of these, or a number of bytes: at least 1 MiB, at 0.00390625
 * USD per MiB, exactly, rounded to the nearest unit of the token. Reads no file.
 *
 * @param sizeOrSource - bytes, 0 to 2^53, or the source to upload
 * @throws `INVALID_OPTION`, `UNSUPPORTED_NETWORK` 'Unsupported Network!!!', `TOKEN_NOT_SUPPORTED`, `INVALID_SOURCE`
 * (also for a stream of unknown size), `SOURCE_UNREADABLE`, `ABORTED`; for the chain's own coin `TICKER_FAILED`
 *
 * @example
 * const { amount, usd } = await getPrice("./photos", { network: "polygon", token: "usdc" });
 */
export async function getPrice(sizeOrSource: number | bigint | Source, options: GetPriceOptions = {}): Promise<Price> {
  const { name, ...price } = resolveOptions(schema, options);
  const isSize = typeof sizeOrSource === "number" || typeof sizeOrSource === "bigint";
  const size = isSize ? sizeOrSource : await addSizes(copySource(sizeOrSource), { name, signal: price.signal });
  const { computePrice } = await import("./price.ts");
  return computePrice(byteCount(size, "size"), price);
}

async function addSizes(source: Source, options: Parameters<typeof listSourceFiles>[1]): Promise<bigint> {
  const files = await listSourceFiles(source, options);
  const sizes = files.map((file) => {
    if (file.size === undefined) throw invalidSource("a price requires the size of a stream", { name: file.name });
    return BigInt(file.size);
  });
  return sizes.reduce((sum, size) => sum + size, 0n);
}
