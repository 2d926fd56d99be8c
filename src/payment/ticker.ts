import { MAX_TICKER_AGE_MS } from "../base/config/limits.ts";
import { isKeeplightError, KeeplightError } from "../base/errors/base.ts";
import { invalidResponse } from "../base/errors/transport.ts";
import { nonEmpty, type Operation, resolveOptions } from "../base/operation.ts";
import { type CallOptions, callSchema, type ResolvedCall } from "../base/options.ts";
import { numberThat } from "../base/validation/schema.ts";
import { requestApi } from "../network/http/api-client.ts";
import type { TextResponse } from "../network/http/response.ts";

/** No coin costs as much, in US dollars. */
const MAX_PRICE = 1e12;

/** Rejects non-numeric prices, zero, and prices so high that storage would be free. */
const price = numberThat((number) => number > 0 && number < MAX_PRICE);

export const getTickerOperation = { options: callSchema } satisfies Operation<CallOptions>;

/**
 * Fetches the price of one whole coin in USD. The response is a bare number without a timestamp. A price older than
 * five minutes is refused if its headers show its age: by `Age`, which caches add (RFC 9111, section 5.1), and by how
 * much earlier `Last-Modified` is than `Date`. This machine's clock is not used. Pages see these headers only if the
 * API host exposes them.
 *
 * @param symbol - of the coin, such as `FIL`
 * @throws `INVALID_OPTION`, `ABORTED`; `TICKER_FAILED` for every other failure, which is its `cause`: a failed request,
 * or a response that is too old or not a number above 0 and below 10^12
 *
 * @example
 * const usd = await getTicker("FIL");
 */
export async function getTicker(symbol: string, options: CallOptions = {}): Promise<number> {
  const call = resolveOptions(callSchema, options);
  return fetchTicker(nonEmpty(symbol, "symbol"), call);
}

/** {@link getTicker}, for a symbol and options that have been checked. */
export async function fetchTicker(symbol: string, call: ResolvedCall): Promise<number> {
  try {
    return await requestApi(call, {
      method: "GET",
      path: "/api/lighthouse/get_ticker",
      query: { symbol },
      schema: price,
      what: "price above 0 and below 10^12",
      check: refuseUnreliable,
    });
  } catch (error) {
    if (!isKeeplightError(error) || error.code === "ABORTED") throw error;
    throw new KeeplightError("TICKER_FAILED", `Failed to get ticker price: ${error.message}`, {
      details: { ...error.details, symbol },
      cause: error,
    });
  }
}

function refuseUnreliable({ endIsProven, headers, facts }: TextResponse): void {
  // A bare number that is cut short is another number.
  if (!endIsProven) throw invalidResponse(facts, "The price may be incomplete: the response states no length");
  const readTime = (name: string) => Date.parse(String(headers[name])) / 1000;
  const age = toSeconds(readTime("date") - readTime("last-modified")) + toSeconds(headers["age"]);
  if (age * 1000 > MAX_TICKER_AGE_MS) throw invalidResponse(facts, `The price is ${Math.round(age)} seconds old`);
}

/**
 * The first value of a header that was sent several times, as caches read it (RFC 9111, section 5.1). 0 for a negative time
 * or anything that is not a number.
 */
function toSeconds(value: unknown): number {
  return Math.max(Number(String(value).split(",")[0]) || 0, 0);
}
