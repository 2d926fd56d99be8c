import { MAX_TICKER_AGE_MS } from "../config/limits.ts";
import { tickerFailed } from "../errors/api-host.ts";
import { isKeeplightError } from "../errors/base.ts";
import { invalidResponse } from "../errors/transport.ts";
import { requestApi } from "../http/api-client.ts";
import type { TextResponse } from "../http/response.ts";
import { type CallOptions, callOptionNames, resolveCall } from "../options.ts";
import { checkOptions } from "../validation/check-options.ts";
import { numberThat } from "../validation/schema.ts";
import { checkText } from "../validation/text.ts";

/** A price of nothing would make storage free, and one in text would be no number to reckon with. */
const price = numberThat((number) => number > 0 && Number.isFinite(number));

/**
 * What one whole coin costs, in USD. The answer is a bare number and does not say of when it is: one of more than five
 * minutes is refused where its headers give it away, by the `Age` that caches add (RFC 9111, section 5.1) and by how
 * much earlier `Last-Modified` is than `Date`. The clock of this machine is not asked, and pages see these headers only
 * if the API host exposes them.
 *
 * @param symbol - of the coin, such as `FIL`
 * @throws `INVALID_OPTION`, `ABORTED`; `TICKER_FAILED` for whatever else keeps the price from being known, which
 * is its `cause`: a failed request, or an answer that is not a number above 0 or is too old
 *
 * @example
 * const usd = await getTicker("FIL");
 */
export async function getTicker(symbol: string, options: CallOptions = {}): Promise<number> {
  checkOptions(options, callOptionNames);
  checkText("symbol", symbol);
  const call = resolveCall(options);
  try {
    return await requestApi(call, {
      method: "GET",
      path: "/api/lighthouse/get_ticker",
      query: { symbol },
      schema: price,
      what: "price above 0",
      check: refuseOld,
    });
  } catch (error) {
    throw isKeeplightError(error) && error.code !== "ABORTED" ? tickerFailed(symbol, error.message, error) : error;
  }
}

function refuseOld({ headers, facts }: TextResponse): void {
  const told = (name: string) => Date.parse(String(headers[name])) / 1000;
  const age = seconds(told("date") - told("last-modified")) + seconds(headers["age"]);
  if (age * 1000 > MAX_TICKER_AGE_MS) throw invalidResponse(facts, `The price is ${Math.round(age)} seconds old`);
}

/** What is no time, or a negative one, says nothing. */
function seconds(value: unknown): number {
  return Math.max(Number(value ?? 0) || 0, 0);
}
