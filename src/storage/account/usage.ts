import { type Operation, resolveOptions } from "../../base/operation.ts";
import { type BearerOptions, bearerSchema } from "../../base/options.ts";
import { number, optional, rowWith } from "../../base/validation/schema.ts";
import { requestApi } from "../../network/http/api-client.ts";

/** How much an account may store and has stored, by storage class. Fields that are not listed here are kept unchanged. */
export interface Usage {
  /** By the account's plan, in the storage class `annual`: bytes it may store; 0 if the network sends no number. */
  dataLimit: number;
  /** Bytes it has stored; 0 if the network sends no number. */
  dataUsed: number;
  /** In the storage class `lifetime`: bytes the account may store; `null` if the network sends no number. */
  dataLimitPermanent?: number | null | undefined;
  /** In `lifetime`: bytes it has stored. */
  dataUsedPermanent?: number | null | undefined;
  /** In the storage class `walrus`: bytes the account may store; `null` if the network sends no number. */
  walrusDataLimit?: number | null | undefined;
  /** In `walrus`: bytes it has stored. */
  walrusDataUsed?: number | null | undefined;
  [field: string]: unknown;
}

const bytes = (value: unknown) => number(value) ?? 0;

const usage = rowWith<Usage>({
  dataLimit: bytes,
  dataUsed: bytes,
  dataLimitPermanent: optional(number),
  dataUsedPermanent: optional(number),
  walrusDataLimit: optional(number),
  walrusDataUsed: optional(number),
});

export const getBalanceOperation = { options: bearerSchema, at: 0 } satisfies Operation<BearerOptions>;

/**
 * Returns how much the account may store and has stored, in bytes. When its plan ends, no documented field says.
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
