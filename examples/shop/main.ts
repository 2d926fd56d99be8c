/** A shop that is paid in USDC: `DATABASE_URL=postgres://… npx tsx examples/shop/main.ts`. */
import { createServer } from "node:http";
import pg from "pg";
import { createShop } from "./shop.ts";

const shop = await createShop({
  database: new pg.Pool({ connectionString: process.env["DATABASE_URL"] }),
  network: "polygon",
  prices: { "5 GB for a year": { token: "usdc", amount: 20_000_000n } },
  deliveryConfirmations: 64,
  async deliver({ order, item }) {
    console.log(`order ${order.orderId}: ${item}`);
  },
});

/** One round after the other, so that none overtakes the one before. */
async function deliverForever(): Promise<never> {
  for (;;) {
    await shop.deliverPaid().catch(console.error);
    await new Promise((resolve) => setTimeout(resolve, 30_000));
  }
}

void deliverForever();
createServer((request, response) => void shop.handle(request, response)).listen(
  Number(process.env["PORT"] ?? 3000),
  "127.0.0.1",
);
