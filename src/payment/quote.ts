import { getBalance } from "../account/usage.ts";
import type { PaymentToken } from "../config/networks.ts";
import { invalidSource } from "../errors/input.ts";
import { type BearerOptions, bearerOptionNames, checkToken, resolveCall } from "../options.ts";
import type { SourceFile } from "../platform/types.ts";
import { listSourceFiles, type Source } from "../transfer/upload/source.ts";
import { checkOptions, pickOptions } from "../validation/check-options.ts";
import type { NetworkOptions } from "./chain/network.ts";
import { networkOptionNames } from "./chain/network.ts";
import { computePrice, type Price, type RateOptions, rateOptionNames } from "./price.ts";

/**
 * Options of {@link getQuote}. Without an `apiKey` the quote says nothing of usage, and without a `network` or a
 * `token` nothing of a price.
 */
export interface QuoteOptions extends BearerOptions, NetworkOptions, RateOptions {
  /** What would be paid with; with `network` alone `native`. */
  token?: PaymentToken | undefined;
  /** Name for a source that has none, or another name for a single file. Default `blob`. */
  name?: string | undefined;
}

export const quoteOptionNames = [bearerOptionNames, networkOptionNames, rateOptionNames, "token,name"] as const;

/** One file of a quote. */
export interface QuotedFile {
  /** In bytes. */
  fileSize: number;
  /** What the file says it is, or its name says; `null` where neither does. */
  mimeType: string | null;
  /** As an upload would send it; folders are separated by `/`. */
  fileName: string;
}

/** What an upload would take. */
export interface Quote {
  /** One for each file. */
  metaData: QuotedFile[];
  /** In bytes, of all files together. */
  totalSize: number;
  /** Of the account of the `apiKey`, where there is one. All in bytes. */
  usage?: {
    /** What the account may store. */
    dataLimit: number;
    /** What it has stored. */
    dataUsed: number;
    /** What would be left after the upload; below 0, it does not fit. */
    dataLeft: number;
  };
  /** What that much storage costs, as {@link getPrice} tells it, where a `network` or a `token` is given. */
  price?: Price;
}

/**
 * What an upload of these files would take; with an `apiKey`, what the account would have left; with a `network` or a
 * `token`, what it costs. No file is read.
 *
 * @throws `INVALID_SOURCE` (also for a stream of unknown size), `SOURCE_UNREADABLE`; with an `apiKey`
 * `HTTP_STATUS`, `INVALID_RESPONSE` and what every request may throw; with a price what {@link getPrice} throws
 *
 * @example
 * const { totalSize, usage } = await getQuote("./photos", { apiKey });
 */
export async function getQuote(source: Source, options: QuoteOptions = {}): Promise<Quote> {
  checkOptions(options, quoteOptionNames);
  resolveCall(options);
  const { apiKey, name, signal } = options;
  if (apiKey !== undefined) checkToken("apiKey", apiKey);
  const files = await listSourceFiles(source, { name, signal });
  // A long table that only quotes want.
  const { mimeTypeOf } = await import("../transfer/upload/mime-types.ts");
  const metaData = files.map((file) => quoted(file, mimeTypeOf));
  const totalSize = metaData.reduce((sum, { fileSize }) => sum + fileSize, 0);
  const wantsPrice = options.network !== undefined || options.token !== undefined;
  // First, as a price may be refused without anything being sent.
  const price = wantsPrice ? await computePrice(totalSize, options) : undefined;
  const usage = apiKey === undefined ? undefined : await projectUsage(totalSize, options);
  return { metaData, totalSize, ...(usage ? { usage } : {}), ...(price ? { price } : {}) };
}

async function projectUsage(bytes: number, options: BearerOptions): Promise<NonNullable<Quote["usage"]>> {
  const { dataLimit, dataUsed } = await getBalance(pickOptions(options, bearerOptionNames));
  return { dataLimit, dataUsed, dataLeft: dataLimit - dataUsed - bytes };
}

function quoted({ name, size, blob }: SourceFile, mimeTypeOf: (name: string) => string | null): QuotedFile {
  if (size === undefined) throw invalidSource("a quote wants the size of a stream", { name });
  return { fileSize: size, mimeType: blob?.type || mimeTypeOf(name), fileName: name };
}
