import * as z from "zod/mini";
import { tickerFailed } from "../errors/api-host.ts";
import { isKeeplightError } from "../errors/base.ts";
import { askApi } from "../http/api-host.ts";
import { checkText } from "../input/text.ts";
import { type CallOptions, resolveCall } from "../options.ts";

/** A price of nothing would make storage free, and one in text would be no number to reckon with. */
const price = z.number().check(z.positive());

/**
 * What one whole coin costs, in USD.
 *
 * @param symbol - of the coin, such as `FIL`
 * @throws `INVALID_OPTION`, `ABORTED`; `TICKER_FAILED` for whatever else keeps the price from being known, which
 * is its `cause`: a failed request, or an answer that is not a number above 0
 *
 * @example
 * const usd = await getTicker("FIL");
 */
export async function getTicker(symbol: string, options: CallOptions = {}): Promise<number> {
  checkText("symbol", symbol);
  const call = resolveCall(options);
  try {
    return await askApi(call, {
      method: "GET",
      path: "/api/lighthouse/get_ticker",
      query: { symbol },
      schema: price,
      what: "price above 0",
    });
  } catch (error) {
    throw isKeeplightError(error) && error.code !== "ABORTED" ? tickerFailed(symbol, error.message, error) : error;
  }
}
