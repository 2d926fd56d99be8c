import { Interface } from "ethers/abi";
import { allInOrder } from "../../base/async/queue.ts";
import { implausibleTicker } from "../../base/errors/content.ts";
import { callView } from "../../network/ethereum/contracts.ts";
import { ignoreFailure, readBlockHeader } from "../../network/ethereum/eth-rpc.ts";
import type { Rpc } from "../../network/ethereum/json-rpc.ts";
import type { Order } from "../types.ts";

/** A Chainlink price feed. Its five return values are encoded as one tuple of them is. */
const priceFeed = new Interface([
  "function latestRoundData() view returns (tuple(uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound))",
  "function decimals() view returns (uint8)",
]);

/** Feeds are updated at least once a day. */
const MAX_AGE_SECONDS = 25 * 3_600;

/** How much the ticker may differ from the feed, as a fraction of the feed's price. */
const MAX_DIFFERENCE = 0.1;

/**
 * Compares the ticker that the order's amount was computed from with the chain's price feed, if that was not done yet. A
 * feed that cannot be used stops no payment.
 *
 * @returns what it was compared with; `undefined` for an amount that was not computed from a ticker
 * @throws `TICKER_FAILED` if they differ
 */
export async function checkPrice({ order, rpc }: { order: Order; rpc: Rpc }): Promise<Order["priceCheck"]> {
  const { network, usdPerCoin, priceCheck } = order;
  if (usdPerCoin === undefined || priceCheck !== undefined) return priceCheck;
  const feed = network.priceFeed && (await readPrice(rpc, network.priceFeed).catch(ignoreFailure));
  if (!feed) return "none";
  if (Math.abs(usdPerCoin - feed) > feed * MAX_DIFFERENCE)
    throw implausibleTicker(network.symbol, usdPerCoin, { feed });
  return "feed";
}

/** Reads what one coin costs in US dollars; `undefined` if the feed is stale, or no feed. */
async function readPrice(rpc: Rpc, feed: string): Promise<number | undefined> {
  const [round, decimals, block] = await allInOrder([
    callView(rpc, priceFeed, feed, ["latestRoundData"]),
    callView(rpc, priceFeed, feed, ["decimals"]),
    readBlockHeader(rpc, "latest"),
  ]);
  const { answer, updatedAt } = Object(round) as { answer?: bigint; updatedAt?: bigint };
  const age = Number(block?.timestamp) - Number(updatedAt);
  const price = Number(answer) / 10 ** Number(decimals);
  // Not a number if anything is missing. A node that lags behind may be older than the answer; feeds have 8 or 18 decimals.
  const isUsable = Math.abs(age) <= MAX_AGE_SECONDS && price > 0 && Number(decimals) <= 18;
  return isUsable ? price : undefined;
}
