import { invalidSource } from "../errors/input.ts";
import { copySource, listSourceFiles, type Source } from "../transfer/upload/source.ts";
import { checkOptions, fromNames } from "../validation/check-options.ts";
import type { Price } from "./price.ts";
import { type PriceOptions, priceOptionNames } from "./price-options.ts";

/** Options of {@link getPrice}. */
export interface GetPriceOptions extends PriceOptions {
  /** Name for a source that has none, such as a bare stream. @default `blob` */
  name?: string | undefined;
}

export const getPriceNames = [priceOptionNames, "name"] as const;

export const getPriceOperation = { options: fromNames(getPriceNames) };

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
  options = checkOptions(options, getPriceNames);
  if (typeof sizeOrSource === "number" || typeof sizeOrSource === "bigint") return loadPrice(sizeOrSource, options);
  const { name, signal } = options;
  const files = await listSourceFiles(copySource(sizeOrSource), { name, signal });
  const sizes = files.map((file) => {
    if (file.size === undefined) throw invalidSource("a price requires the size of a stream", { name: file.name });
    return BigInt(file.size);
  });
  return loadPrice(
    sizes.reduce((sum, size) => sum + size, 0n),
    options,
  );
}

/** Loads the code for prices, and computes one. */
export async function loadPrice(size: number | bigint, options: PriceOptions): Promise<Price> {
  const { computePrice } = await import("./on-demand.ts");
  return computePrice(size, options);
}
