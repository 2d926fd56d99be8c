import type { Hono } from "hono";
import { wordDeal } from "../deals/deal-response.ts";
import { type Env, Refusal } from "../http/json.ts";
import type { Network } from "../network.ts";
import { cidFrom } from "./request-context.ts";

/** Deals with storage providers, the proof that a file is in one, and prices of coins. */
export function addDealRoutes(app: Hono<Env>, { deals, tickers }: Network): void {
  app.get("/api/lighthouse/deal_status", async (c) => {
    const deal = await deals.find(cidFrom(c));
    return c.json(deal ? [wordDeal(deal)] : []);
  });

  app.get("/api/lighthouse/get_proof", async (c) => {
    const deal = await deals.find(cidFrom(c));
    if (!deal) throw new Refusal(400, "Proof Doesn't exist yet");
    const { dealId, storageProvider, inclusion } = deal;
    return c.json({
      pieceCID: inclusion.aggregateCid,
      dealInfo: [{ dealId, storageProvider, proof: inclusion.proof }],
    });
  });

  app.get("/api/lighthouse/get_ticker", (c) => {
    const price = tickers.get((c.req.query("symbol") ?? "").toUpperCase());
    if (price === undefined) throw new Refusal(400, "Unknown symbol");
    return c.json(price);
  });
}
