import { type CallOptions, KeeplightError } from "keeplight";
import {
  assertSuccess,
  callSchema,
  exchange,
  invalidOption,
  isOptions,
  parseResponse,
  resolveOptions,
} from "keeplight/parts";
import { type Call, SHORT_TIMEOUT_MS, type TextResponse } from "./call.ts";
import { invalidResponse } from "./errors.ts";

/** What one upload, or its renewal, costs. */
export interface UploadPrice {
  /** In the smallest unit of USDC: 1,000,000 is one US dollar. */
  amount: bigint;
  /** For how many days the file is stored for it. */
  days: number;
  /** Of a file that is stored: until when it is paid for, in milliseconds since 1970; `null` if it is not. */
  expiresAt?: number | null;
}

/**
 * Returns what it costs to upload one file by `payPerUpload`, or to renew one. The service may request another price when it
 * is paid, up to `maxAmount`.
 *
 * @param subject - bytes of the file, of an encrypted one those that are stored; or the `id` in the receipt of an upload
 * @throws `INVALID_OPTION`, `FILE_TOO_LARGE`, `HTTP_STATUS` (404 for an unknown id), `INVALID_RESPONSE`; what every request may
 * throw
 *
 * @example
 * const { amount } = await getUploadPrice(5_000_000);
 * const [file] = await upload("./photo.jpg", { payPerUpload: payPerUpload({ signer, maxAmount: amount }) });
 */
export async function getUploadPrice(
  subject: number | { id: string },
  options: CallOptions = {},
): Promise<UploadPrice> {
  const call = resolveOptions(callSchema, options);
  if (isOptions(subject)) return requestRenewalPrice(checkId((subject as { id?: unknown }).id), call);
  if (Number.isSafeInteger(subject) && subject > 0) return requestUploadPrice(subject, "The file", call);
  throw invalidOption("subject", "the bytes of a file, from 1 on, or { id }");
}

/** A file's id, as a header can carry it. */
export function checkId(id: unknown): string {
  if (typeof id === "string" && /^[\x21-\x7e]{1,200}$/.test(id)) return id;
  throw invalidOption("id", "the id in the receipt of an upload");
}

export async function requestUploadPrice(size: number, name: string, call: Call): Promise<UploadPrice> {
  const response = await requestPrice("/api/upload/price", { size: String(size) }, call);
  const limit = response.status === 400 ? readLimit(response) : undefined;
  if (limit === undefined || limit >= size) return readPrice(response);
  throw new KeeplightError("FILE_TOO_LARGE", `${name} is too large for one paid upload: ${size} bytes of ${limit}`, {
    details: { limit, name, size },
  });
}

export async function requestRenewalPrice(id: string, call: Call): Promise<UploadPrice> {
  const response = await requestPrice("/api/renew/price", { id }, call);
  const price = readPrice(response);
  const { currentExpiresAt } = readFields(response);
  return { ...price, expiresAt: readTime(currentExpiresAt) ?? null };
}

/** The latest time of a `Date`. */
const MAX_TIME = 8.64e15;

/** Reads a time in milliseconds since 1970; the service's own renewals write it in ISO 8601. */
export function readTime(value: unknown): number | undefined {
  const time = typeof value === "string" ? Date.parse(value) : value;
  return typeof time === "number" && time > 0 && time <= MAX_TIME ? time : undefined;
}

/** The fields of a response's object, none of which is checked. Throws `INVALID_JSON`. */
export function readFields(response: TextResponse): Record<string, unknown> {
  return Object(parseResponse(response));
}

function requestPrice(path: string, query: Record<string, string>, call: Call): Promise<TextResponse> {
  const { endpoints, signal } = call;
  const timeoutMs = Math.min(call.timeoutMs, SHORT_TIMEOUT_MS);
  return exchange({ method: "GET", base: endpoints.x402, path, query, retries: true, signal, timeoutMs });
}

function readPrice(response: TextResponse): UploadPrice {
  assertSuccess(response, "http");
  const { totalPrice, storagePeriodDays: days } = readFields(response);
  const isPrice = typeof totalPrice === "string" && /^\$?(?=.*[1-9])\d{1,12}(\.\d{1,6})?$/.test(totalPrice);
  if (!isPrice || typeof days !== "number") throw invalidResponse(response, "The service sent no price");
  const [dollars = "", fraction = ""] = totalPrice.replace("$", "").split(".");
  return { amount: BigInt(dollars + fraction.padEnd(6, "0")), days };
}

function readLimit(response: TextResponse): number | undefined {
  try {
    const { maxFileSizeBytes } = readFields(response);
    return typeof maxFileSizeBytes === "number" ? maxFileSizeBytes : undefined;
  } catch {
    return undefined;
  }
}
