import { type Operation, resolveOptions } from "../../base/operation.ts";
import { type BearerOptions, bearerSchema } from "../../base/options.ts";
import { number, optional, rowWith } from "../../base/validation/schema.ts";
import { requestApi } from "../../network/http/api-client.ts";

/** How much an account may store and has stored. Fields that are not listed here are kept unchanged. */
export interface Usage {
  /** Bytes the account may store; 0 if the network sends no number. */
  dataLimit: number;
  /** Bytes it has stored; 0 if the network sends no number. */
  dataUsed: number;
  /** Of files stored for good: bytes the account may store. */
  dataLimitPermanent?: number | undefined;
  /** Of files stored for good: bytes it has stored. */
  dataUsedPermanent?: number | undefined;
  [field: string]: unknown;
}

const bytes = (value: unknown) => number(value) ?? 0;

const usage = rowWith<Usage>({
  dataLimit: bytes,
  dataUsed: bytes,
  dataLimitPermanent: optional(bytes),
  dataUsedPermanent: optional(bytes),
});

export const getBalanceOperation = { options: bearerSchema, at: 0 } satisfies Operation<BearerOptions>;

/**
 * Returns how much the account may store and has stored, in bytes.
 *
 * @throws `MISSING_API_KEY`, `HTTP_STATUS` (401 for an API key that is not valid), `INVALID_RESPONSE`; what every
 * request may throw
 *
 * @example
 * const { dataLimit, dataUsed } = await getBalance({ apiKey });
 */
export async function getBalance(options: BearerOptions): Promise<Usage> {
  return requestApi(resolveOptions(bearerSchema, options), {
    method: "GET",
    path: "/api/user/user_data_usage",
    schema: usage,
    what: "data usage",
  });
}
