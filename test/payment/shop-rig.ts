import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { AbiCoder, Interface, id, zeroPadValue } from "ethers";
import pg from "pg";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import { createShop, type ShopOptions } from "../../examples/shop/shop.ts";
import type { StableToken } from "../../src/base/config/networks.ts";
import type { PaymentOrder } from "../../src/index.ts";
import { startPostgres, type TestDatabase } from "../support/databases.ts";
import { approve, type Payer, type TestChain, waitUntilMined } from "./chain-tools.ts";

const receiveToken = new Interface(["function receiveToken(uint256 amount, address token)"]);

/** The call data of a payment in a token, without a mark. */
export function encodePayment({ network }: TestChain, token: StableToken | string, amount: bigint): string {
  const address = network.tokens[token as StableToken]?.address ?? token;
  return receiveToken.encodeFunctionData("receiveToken", [amount, address]);
}

export const computeMark = (orderId: string) => createHash("sha256").update(orderId).digest("hex");

/** Sends a transaction of any kind; returns its hash once it is mined. */
export async function send(tools: TestChain, payer: Payer, to: string, data = "0x", value = 0n): Promise<string> {
  const { hash } = await payer.wallet.sendTransaction({ to, data, value, gasLimit: 500_000n });
  await waitUntilMined(tools, hash);
  return hash;
}

/** Pays with any data behind the call; returns the hash. */
export async function payBy(
  tools: TestChain,
  payer: Payer,
  { token = "usdc", amount = 1000n, mark = "" }: { token?: StableToken; amount?: bigint; mark?: string },
): Promise<string> {
  await approve(tools, payer, token, amount);
  return send(tools, payer, tools.network.contract, `${encodePayment(tools, token, amount)}${mark}`);
}

/** Places a contract that emits the payment contract's event, whoever calls it and with any data. */
export async function placeSpoof({ rpc, network }: TestChain, sender: string, amount: bigint): Promise<string> {
  const topics = [
    id("ReceivedPayment(address,address,uint256,uint256,uint256,bytes)"),
    zeroPadValue(sender, 32),
    zeroPadValue(network.tokens.usdc?.address ?? "", 32),
  ];
  const data = AbiCoder.defaultAbiCoder().encode(["uint256", "uint256", "uint256", "bytes"], [1n, amount, 1n, "0x"]);
  const words = data.slice(2).match(/.{64}/g) ?? [];
  const stores = words.map((word, at) => `7f${word}60${(at * 32).toString(16).padStart(2, "0")}52`);
  const pushes = topics.toReversed().map((topic) => `7f${topic.slice(2)}`);
  const address = `0x${"6c".repeat(20)}`;
  await rpc(
    "anvil_setCode",
    address,
    `0x${[...stores, ...pushes].join("")}60${(words.length * 32).toString(16)}6000a300`,
  );
  return address;
}

/** What a server of the shop responds. */
export interface ShopResponse {
  status: number;
  code?: string;
  /** What differs from the order's payment. */
  field?: string;
  state?: string;
  order: PaymentOrder;
}

export interface ShopServer {
  place(item: string, sender?: string): Promise<PaymentOrder>;
  claim(orderId: string, hash: unknown, more?: object): Promise<ShopResponse>;
  read(orderId: string): Promise<ShopResponse>;
  request(method: string, path: string, body?: unknown): Promise<ShopResponse>;
  deliverPaid(): Promise<void>;
}

/** Starts PostgreSQL for all tests of a file. Each shop has its own tables there. */
export function shopsForTests(chain: () => TestChain) {
  let postgres: TestDatabase | undefined;
  let shops = 0;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres?.stop());

  /** Starts two servers of one shop, which share only the database. Each item costs 1000 units of the token it is named by. */
  return async function openShop(options: Partial<ShopOptions> = {}) {
    const schema = `shop_${++shops}`;
    const database = new pg.Pool({ connectionString: postgres?.url, options: `-c search_path=${schema}` });
    onTestFinished(() => database.end());
    await database.query(`create schema ${schema}`);
    const delivered: string[] = [];
    const start = () => startServer(database, delivered, options);
    const [one, other] = await Promise.all([start(), start()]);
    const countCredits = async () => Number((await database.query("select count(*) from payments")).rows[0].count);
    return { servers: [one, other] as const, shop: one, delivered, database, countCredits };
  };

  async function startServer(
    database: pg.Pool,
    delivered: string[],
    options: Partial<ShopOptions>,
  ): Promise<ShopServer> {
    const shop = await createShop({
      database,
      network: chain().network,
      prices: {
        usdc: { token: "usdc", amount: 1000n },
        dear: { token: "usdc", amount: 2000n },
        native: { token: "native", amount: 1000n },
      },
      deliveryConfirmations: 3,
      async deliver({ order }) {
        delivered.push(order.orderId);
      },
      ...options,
    });
    const server = createServer((request, response) => void shop.handle(request, response)).listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    async function request(method: string, path: string, body?: unknown): Promise<ShopResponse> {
      const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
      const response = await fetch(`http://127.0.0.1:${port}${path}`, init);
      return { status: response.status, ...((await response.json()) as object) } as ShopResponse;
    }
    return {
      request,
      deliverPaid: shop.deliverPaid,
      place: async (item, sender) => (await request("POST", "/orders", { item, sender })).order,
      claim: (orderId, hash, more = {}) => request("POST", `/orders/${orderId}/payment`, { hash, ...more }),
      read: (orderId) => request("GET", `/orders/${orderId}`),
    };
  }
}
