import { type CallOptions, callOptionNames, resolveCall } from "../options.ts";
import { checkOptions, fromNames } from "../validation/check-options.ts";
import { checkText } from "../validation/text.ts";

export const getTickerOperation = { options: fromNames(callOptionNames) };

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
  options = checkOptions(options, callOptionNames);
  checkText("symbol", symbol);
  const call = resolveCall(options);
  const { fetchTicker } = await import("./on-demand.ts");
  return fetchTicker(symbol, call);
}
