import * as z from "zod/mini";
import { SHORT_TIMEOUT_MS } from "../../base/config/limits.ts";
import { tooLargeToPay } from "../../base/errors/pay-per-upload.ts";
import { invalidResponse } from "../../base/errors/transport.ts";
import type { ResolvedCall } from "../../base/options.ts";
import { parseJson } from "../../base/validation/parse-json.ts";
import { exchange } from "../../network/http/client.ts";
import { parseResponse, readJson } from "../../network/http/response.ts";
import type { UploadPrice } from "./types.ts";

const priceSchema = z.looseObject({
  totalPrice: z.string().check(z.regex(/^\$?(?=.*[1-9])\d{1,12}(\.\d{1,6})?$/)),
  storagePeriodDays: z.number(),
  currentExpiresAt: z.optional(z.unknown()),
});

export async function requestUploadPrice(size: number, name: string, call: ResolvedCall): Promise<UploadPrice> {
  const response = await requestPrice("/api/upload/price", { size: String(size) }, call);
  const limit = response.status === 400 ? readLimit(response.text) : undefined;
  if (limit !== undefined && limit < size) throw tooLargeToPay(limit, name, size);
  return readPrice(response);
}

export async function requestRenewalPrice(id: string, call: ResolvedCall): Promise<UploadPrice> {
  const response = await requestPrice("/api/renew/price", { id }, call);
  const price = readPrice(response);
  const { currentExpiresAt } = parseResponse(response) as { currentExpiresAt?: unknown };
  return { ...price, expiresAt: readTime(currentExpiresAt) ?? null };
}

/** The latest time of a `Date`. */
const MAX_TIME = 8.64e15;

/** Reads a time in milliseconds since 1970; the service's own renewals write it in ISO 8601. */
export function readTime(value: unknown): number | undefined {
  const time = typeof value === "string" ? Date.parse(value) : value;
  return typeof time === "number" && time > 0 && time <= MAX_TIME ? time : undefined;
}

function requestPrice(path: string, query: Record<string, string>, call: ResolvedCall) {
  const { endpoints, signal } = call;
  const timeoutMs = Math.min(call.timeoutMs, SHORT_TIMEOUT_MS);
  return exchange({ method: "GET", base: endpoints.x402, path, query, retries: true, signal, timeoutMs });
}

function readPrice(response: Awaited<ReturnType<typeof requestPrice>>): UploadPrice {
  const parsed = z.safeParse(priceSchema, readJson(response, "http"));
  if (!parsed.success) throw invalidResponse(response.facts, "The service sent no price");
  const { totalPrice, storagePeriodDays: days } = parsed.data;
  const [dollars = "", fraction = ""] = totalPrice.replace("$", "").split(".");
  return { amount: BigInt(dollars + fraction.padEnd(6, "0")), days };
}

function readLimit(text: string): number | undefined {
  try {
    const { maxFileSizeBytes } = parseJson(text) as { maxFileSizeBytes?: unknown };
    return typeof maxFileSizeBytes === "number" ? maxFileSizeBytes : undefined;
  } catch {
    return undefined;
  }
}
