import type { Hono } from "hono";
import { toDealResponse } from "../deals/deal-response.ts";
import { type Env, Refusal } from "../http/json.ts";
import type { Network } from "../network.ts";
import { readCid } from "./request-context.ts";

/** Deals with storage providers, proofs that they include a file, and coin prices. */
export function addDealRoutes(app: Hono<Env>, { deals, tickers }: Network): void {
  app.get("/api/lighthouse/deal_status", async (c) => {
    const deal = await deals.find(readCid(c));
    return c.json(deal ? [toDealResponse(deal)] : []);
  });

  app.get("/api/lighthouse/get_proof", async (c) => {
    const deal = await deals.find(readCid(c));
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
