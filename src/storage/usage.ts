import * as z from "zod/mini";
import { askApi } from "../http/api-host.ts";
import { checkOptions } from "../input/check-options.ts";
import { type BearerOptions, bearerOptionNames, requireApiKey, resolveCall } from "../options.ts";

const usage = z.looseObject({
  /** Bytes the account may store. */
  dataLimit: z.number(),
  /** Bytes it has stored. */
  dataUsed: z.number(),
  /** Of files stored for good: bytes the account may store. */
  dataLimitPermanent: z.optional(z.number()),
  /** Of files stored for good: bytes it has stored. */
  dataUsedPermanent: z.optional(z.number()),
});

/** How much an account may store and has stored. */
export type Usage = z.infer<typeof usage>;

/**
 * How much the account may store and has stored, in bytes.
 *
 * @throws `MISSING_API_KEY`, `HTTP_STATUS` (401 for an API key that is not valid), `INVALID_ANSWER`; what every
 * request may throw
 *
 * @example
 * const { dataLimit, dataUsed } = await getBalance({ apiKey });
 */
export async function getBalance(options: BearerOptions = {}): Promise<Usage> {
  checkOptions(options, bearerOptionNames);
  const bearer = requireApiKey(options);
  return askApi(resolveCall(options), {
    method: "GET",
    path: "/api/user/user_data_usage",
    bearer,
    schema: usage,
    what: "data usage",
  });
}
