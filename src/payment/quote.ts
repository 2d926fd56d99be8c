import type { PaymentToken } from "../base/config/networks.ts";
import { invalidSource } from "../base/errors/input.ts";
import { type Operation, type OptionSchema, optional, resolveOptions, unchecked } from "../base/operation.ts";
import {
  type BearerOptions,
  type CallOptions,
  callSchema,
  token as checkStorage,
  checkToken,
  type Optional,
  type ResolvedCall,
} from "../base/options.ts";
import { findRoom } from "../storage/account/room.ts";
import { getBalance } from "../storage/account/usage.ts";
import { copySource, listSourceFiles, type Source } from "../storage/upload/source.ts";
import type { StorageClass } from "../storage/upload/storage-class.ts";
import { byteCount, type NetworkOptions, networkSchema, type RateOptions, rateSchema } from "./options.ts";
import type { Price } from "./price.ts";

/**
 * Options of {@link getQuote}. Without an `apiKey` the quote has no usage, without a `network` or a `token` no price.
 */
export interface QuoteOptions extends Optional<BearerOptions>, NetworkOptions, RateOptions {
  /** What to pay with. @default none; `native` if only `network` is set */
  token?: PaymentToken | undefined;
  /** Name for a source that has none, or another name for a single file. @default `blob` */
  name?: string | undefined;
  /** Storage class of the usage. @default `annual` */
  storage?: StorageClass | undefined;
}

/** One file of a quote. */
export interface QuotedFile {
  /** In bytes. */
  fileSize: number;
  /** The file's own type, else the type for its name; `null` if neither is known. */
  mimeType: string | null;
  /** As an upload would send it, with `/` between folders. */
  fileName: string;
}

/** The size, usage and price of an upload. */
export interface Quote {
  /** One entry per file; there is at least one. */
  metaData: [QuotedFile, ...QuotedFile[]];
  /** In bytes, of all files. */
  totalSize: number;
  /** Of the account of the `apiKey`, if set, in the storage class, if its usage says anything about it. All in bytes. */
  usage?: {
    /** The account's limit. */
    dataLimit: number;
    /** How much of it is used. */
    dataUsed: number;
    /** How much would be left after the upload; negative if it does not fit. */
    dataLeft: number;
  };
  /** The price by {@link getPrice}, if a `network` or a `token` is set. */
  price?: Price;
}

const quoteSchema = {
  ...callSchema,
  apiKey: optional((apiKey, name) => checkToken(name, apiKey)),
  ...networkSchema,
  ...rateSchema,
  token: unchecked<PaymentToken>(),
  name: unchecked<string>(),
  storage: optional(checkStorage),
} satisfies OptionSchema<QuoteOptions>;

export const getQuoteOperation = { options: quoteSchema } satisfies Operation<QuoteOptions>;

/**
 * Computes the size of an upload; with an `apiKey`, also how much the account would have left; with a `network` or a
 * `token`, also the price. Reads no file.
 *
 * @throws `INVALID_SOURCE` (also for a stream of unknown size), `SOURCE_UNREADABLE`; with an `apiKey`
 * `HTTP_STATUS`, `INVALID_RESPONSE` and what every request may throw; with a price, what {@link getPrice} throws
 *
 * @example
 * const { totalSize, usage } = await getQuote("./photos", { apiKey });
 */
export async function getQuote(source: Source, options: QuoteOptions = {}): Promise<Quote> {
  const { apiKey, network, token, usdPerMiB, minimumBytes, name, storage, ...call } = resolveOptions(
    quoteSchema,
    options,
  );
  const files = await listSizedFiles(source, { name, signal: call.signal }, "quote");
  // A long table that only quotes need.
  const { getMimeType } = await import("../storage/upload/mime-types.ts");
  const metaData = files.map(({ name, size, blob }): QuotedFile => {
    return { fileSize: size, mimeType: blob?.type || getMimeType(name), fileName: name };
  }) as Quote["metaData"];
  const totalSize = metaData.reduce((sum, { fileSize }) => sum + fileSize, 0);
  let price: Price | undefined;
  // First, because invalid price options are refused before anything is sent.
  if (network !== undefined || token !== undefined) {
    const { computePrice } = await import("./price.ts");
    const rate = { network, token: token ?? "native", usdPerMiB, minimumBytes };
    price = await computePrice(byteCount(totalSize, "size"), { ...call, ...rate });
  }
  const usage = apiKey === undefined ? undefined : await projectUsage(totalSize, storage, { ...call, apiKey });
  return { metaData, totalSize, ...(usage ? { usage } : {}), ...(price ? { price } : {}) };
}

async function projectUsage(
  bytes: number,
  storage: StorageClass | undefined,
  bearer: ResolvedCall & { apiKey: string },
): Promise<Quote["usage"]> {
  const usage = await getBalance(bearer);
  const room = storage === undefined ? { limit: usage.dataLimit, used: usage.dataUsed } : findRoom(usage, storage);
  return room && { dataLimit: room.limit, dataUsed: room.used, dataLeft: room.limit - room.used - bytes };
}

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

const priceSchema = {
  ...callSchema,
  ...networkSchema,
  ...rateSchema,
  token: (token) => (token ?? "native") as PaymentToken,
  name: unchecked<string>(),
} satisfies OptionSchema<GetPriceOptions>;

export const getPriceOperation = { options: priceSchema } satisfies Operation<GetPriceOptions>;

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
  const { name, ...price } = resolveOptions(priceSchema, options);
  const isSize = typeof sizeOrSource === "number" || typeof sizeOrSource === "bigint";
  const files = isSize ? [] : await listSizedFiles(sizeOrSource, { name, signal: price.signal }, "price");
  const size = isSize ? sizeOrSource : files.reduce((sum, file) => sum + BigInt(file.size), 0n);
  const { computePrice } = await import("./price.ts");
  return computePrice(byteCount(size, "size"), price);
}

/** Lists the files of a source; refuses a stream of unknown size, which `what` requires. */
async function listSizedFiles(source: Source, options: Parameters<typeof listSourceFiles>[1], what: string) {
  const files = await listSourceFiles(copySource(source), options);
  return files.map(({ name, size, blob }) => {
    if (size === undefined) throw invalidSource(`a ${what} requires the size of a stream`, { name });
    return { name, size, blob };
  });
}
