import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import type { PaymentNetwork } from "../../src/base/config/networks.ts";
import { createOrder, estimatePayment, type PayOptions, payWithToken, resumePayments } from "../../src/index.ts";
import { openJournal } from "../../src/storage/resume/open-journal.ts";
import { failure } from "../support/failure.ts";
import { chainForTests, type Payer, withRpc } from "./chain-tools.ts";
import { createFolder } from "./child-rig.ts";
import { createContract, createFeed, returning } from "./price-feeds.ts";
import { createRpcProxy, NodeError } from "./rpc-proxy.ts";

const chain = chainForTests();
const priceBand = { low: 300, high: 30_000, asOf: "2026-11" };
/** Bytes that cost one US dollar. */
const size = 2 ** 28;
const COIN = 10n ** 18n;

afterEach(() => chain().devnet.setTicker("ETH", 3_000));

/** A payer who has a thousand coins; the row has a band unless it is replaced. */
async function setUp(row: Partial<PaymentNetwork> = {}, ticker = 3_000) {
  const tools = chain();
  tools.devnet.setTicker("ETH", ticker);
  const payer = await tools.payer("usdc");
  const network: PaymentNetwork = { ...tools.network, priceBand, ...row };
  const order = { network, token: "native", size, endpoints: tools.devnet.endpoints } as const;
  return {
    payer,
    order,
    pay: (options: object = {}) =>
      payWithToken({ ...order, privateKey: payer.privateKey, pollMs: 5, ...options } as PayOptions),
    estimate: (options: object = {}) => estimatePayment({ ...order, address: payer.address, ...options } as never),
  };
}

async function expectNothingSent({ address }: Payer): Promise<void> {
  const count = await chain().rpc<string>("eth_getTransactionCount", address, "pending");
  expect([Number(count), await chain().paid(address)]).toEqual([0, 0]);
}

describe("without maxAmount, a size in the chain's own coin", () => {
  test.each([
    [299.9, "3334444814938313"],
    [0.003, "333333333333333333333"],
    [0.00001, "100000000000000000000000"],
    [1e-70, `1${"0".repeat(88)}`],
  ])(
    "is refused at %d US dollars for one: the limit is the price at the low end of the band",
    async (ticker, amount) => {
      const { payer, pay, estimate } = await setUp({}, ticker);
      for (const call of [pay, estimate]) {
        const { code, details } = await failure(call());
        expect([code, details]).toEqual(["PAYMENT_ABOVE_LIMIT", { amount, maxAmount: "3333333333333333" }]);
      }
      await expectNothingSent(payer);
    },
  );

  test.each([30_000.1, 3_000_000, 1e11])("is refused at %d: it would pay too little", async (ticker) => {
    const { payer, pay, estimate } = await setUp({}, ticker);
    for (const call of [pay, estimate]) {
      const { code, message, details } = await failure(call());
      expect([code, details]).toEqual(["TICKER_FAILED", { symbol: "ETH", ticker, high: 30_000 }]);
      expect(message).toMatch(/^Failed to get ticker price: \d+/);
    }
    await expectNothingSent(payer);
  });

  test.each([300, 3_000, 30_000])("is paid at %d, which is within the band", async (ticker) => {
    const { pay, estimate } = await setUp({}, ticker);
    const amount = (COIN + BigInt(ticker) / 2n) / BigInt(ticker);
    expect(await estimate()).toMatchObject({ amount, priceCheck: "none" });
    expect(await pay()).toMatchObject({ amount, priceCheck: "none" });
  });

  test("is limited at a rate of the caller's, too", async () => {
    const { pay } = await setUp({}, 0.003);
    const { details } = await failure(pay({ size: 0, usdPerMiB: "3", minimumBytes: 2 ** 22 }));
    expect(details).toEqual({ amount: String(4_000n * COIN), maxAmount: String(COIN / 25n) });
  });

  test.each([0.003, 3_000_000])("has no limit on a row without a band, at %d", async (ticker) => {
    const { pay } = await setUp({ priceBand: undefined }, ticker);
    const { amount, priceCheck } = await pay();
    expect(Number(amount) / 1e18).toBeCloseTo(1 / ticker, 9);
    expect(priceCheck).toBe("none");
  });
});

describe("what the caller decides is not second-guessed:", () => {
  test.each([0.003, 2_000, 3_000_000])("a maxAmount, at a ticker of %d", async (ticker) => {
    const proxy = await createRpcProxy(chain().chain.rpc);
    const priceFeed = await createFeed(chain(), { usd: 3_000 });
    const { pay } = await setUp({ priceFeed, rpc: proxy.url }, ticker);
    const requested: unknown[] = [];
    proxy.handle(({ params, forward }) => {
      requested.push(JSON.stringify(params));
      return forward();
    });
    const maxAmount = 334n * COIN;
    const { amount, priceCheck } = await pay({ maxAmount });
    expect(Number(amount) / 1e18).toBeCloseTo(1 / ticker, 9);
    expect(priceCheck).toBe("none");
    expect(requested.filter((params) => String(params).includes(priceFeed))).toEqual([]);
    const { code, details } = await failure(pay({ maxAmount: amount - 1n }));
    expect([code, details["maxAmount"]]).toEqual(["PAYMENT_ABOVE_LIMIT", String(amount - 1n)]);
  });

  test("an amount, for which no price is requested", async () => {
    const priceFeed = await createFeed(chain(), { usd: 3_000 });
    const { pay, estimate } = await setUp({ priceFeed }, 0.003);
    const before = chain().devnet.requests().length;
    const payment = await pay({ size: undefined, amount: 10n * COIN });
    expect(payment.amount).toBe(10n * COIN);
    expect(payment).not.toHaveProperty("priceCheck");
    expect(chain().devnet.requests()).toHaveLength(before);
    expect(await estimate({ size: undefined, amount: 10n * COIN })).not.toHaveProperty("priceCheck");
  });

  test("a token, which costs what it costs", async () => {
    const priceFeed = await createFeed(chain(), { usd: 3_000 });
    const { pay, estimate } = await setUp({ priceFeed }, 0.003);
    for (const result of [await estimate({ token: "usdc" }), await pay({ token: "usdc" })]) {
      expect(result.amount).toBe(1_000_000n);
      expect(result).not.toHaveProperty("priceCheck");
    }
  });
});

describe("a price feed on the chain", () => {
  test.each([
    [2_730, 8],
    [3_270, 8],
    [3_000.5, 18],
    [3_300, 0],
  ])("that a ticker of %d is within a tenth of is named in the result (%d decimals)", async (ticker, decimals) => {
    const { pay, estimate } = await setUp({ priceFeed: await createFeed(chain(), { usd: 3_000, decimals }) }, ticker);
    expect((await estimate()).priceCheck).toBe("feed");
    expect((await pay()).priceCheck).toBe("feed");
  });

  test.each([
    [2_670, 8],
    [3_330, 8],
    [3_330, 18],
    [301, 8],
    [29_999, 8],
  ])("refuses a ticker of %d, which differs by more than a tenth (%d decimals)", async (ticker, decimals) => {
    const priceFeed = await createFeed(chain(), { usd: 3_000, decimals });
    const { payer, pay, estimate } = await setUp({ priceFeed }, ticker);
    for (const call of [pay, estimate]) {
      const { code, message, details } = await failure(call());
      expect([code, details]).toEqual(["TICKER_FAILED", { symbol: "ETH", ticker, feed: 3_000 }]);
      expect(message).toMatch(/^Failed to get ticker price: \d+ US dollars for one ETH, but .* 3000$/);
    }
    await expectNothingSent(payer);
  });

  test("limits a row without a band", async () => {
    const priceFeed = await createFeed(chain(), { usd: 3_000 });
    for (const ticker of [0.003, 0.00001, 3_000_000]) {
      const { payer, pay } = await setUp({ priceFeed, priceBand: undefined }, ticker);
      expect(await failure(pay())).toMatchObject({ code: "TICKER_FAILED", details: { ticker, feed: 3_000 } });
      await expectNothingSent(payer);
    }
  });

  test.each([25 * 3_600 - 60, -3_600])(
    "is used if its answer is %d seconds older than the latest block",
    async (age) => {
      const { pay } = await setUp({ priceFeed: await createFeed(chain(), { usd: 2_000, age }) });
      expect(await failure(pay())).toMatchObject({ code: "TICKER_FAILED", details: { ticker: 3_000, feed: 2_000 } });
    },
  );

  const day = 24 * 3_600;
  test.each<[string, () => Promise<string>]>([
    ["is stale", () => createFeed(chain(), { usd: 2_000, age: 25 * 3_600 + 60 })],
    ["was not updated in a year", () => createFeed(chain(), { usd: 2_000, age: 365 * day })],
    ["is of another time", () => createFeed(chain(), { usd: 2_000, age: -365 * day })],
    ["answers with zero", () => createFeed(chain(), { usd: 0 })],
    ["answers with a negative number", () => createFeed(chain(), { usd: -3_000 })],
    ["has more decimals than any", () => createFeed(chain(), { usd: 3_000, decimals: 25 })],
    ["reverts", () => createContract(chain(), "0x60006000fd")],
    ["runs out of gas", () => createContract(chain(), "0x5b600056")],
    ["is no contract", () => createContract(chain(), "0x")],
    ["returns nothing", () => createContract(chain(), "0x00")],
    ["returns only ones", () => createContract(chain(), returning("ff"))],
    ["returns only zeros", () => createContract(chain(), returning("00"))],
    ["returns garbage", () => createContract(chain(), returning("5a"))],
    ["returns one word only", () => createContract(chain(), "0x61271060005260206000f3")],
  ])("that %s counts as none", async (_, create) => {
    const { pay, estimate } = await setUp({ priceFeed: await create() });
    expect((await estimate()).priceCheck).toBe("none");
    expect((await pay()).priceCheck).toBe("none");
    chain().devnet.setTicker("ETH", 0.003);
    expect((await failure(pay())).code).toBe("PAYMENT_ABOVE_LIMIT");
  });

  test("that the node refuses to read counts as none", async () => {
    const priceFeed = await createFeed(chain(), { usd: 2_000 });
    const proxy = await createRpcProxy(chain().chain.rpc, async ({ params, forward }) => {
      if (JSON.stringify(params).includes(priceFeed)) throw new NodeError(-32_602, "not for you");
      return forward();
    });
    const { pay } = await setUp({ priceFeed });
    expect((await pay({ rpc: proxy.url })).priceCheck).toBe("none");
  });

  test("is read through the payment's node", async () => {
    const priceFeed = await createFeed(chain(), { usd: 2_000 });
    const proxy = await createRpcProxy(chain().chain.rpc);
    const { order, pay } = await setUp({ priceFeed });
    const network = withRpc(order.network, "http://127.0.0.1:9");
    expect((await failure(pay({ network, rpc: proxy.url }))).code).toBe("TICKER_FAILED");
    expect(proxy.count("eth_call")).toBeGreaterThan(1);
    expect(proxy.count("eth_sendRawTransaction")).toBe(0);
  });

  test("is read on the payment's chain, once a wallet has switched to it", async () => {
    const priceFeed = await createFeed(chain(), { usd: 2_000 });
    const { order, payer, pay } = await setUp({ priceFeed });
    let current = 1;
    const requests: string[] = [];
    const request = async ({ method, params = [] }: { method: string; params?: unknown[] }): Promise<unknown> => {
      requests.push(method);
      if (method === "eth_requestAccounts") return [payer.address];
      if (method === "eth_chainId") return `0x${current.toString(16)}`;
      if (method === "wallet_switchEthereumChain") current = order.network.chain_id;
      if (method.startsWith("wallet_")) return null;
      // The other chain has none of the contracts.
      return current === 1 && method === "eth_call" ? "0x" : chain().rpc(method, ...params);
    };
    const error = await failure(pay({ privateKey: undefined, signer: { request } }));
    expect([error.code, error.details["feed"]]).toEqual(["TICKER_FAILED", 2_000]);
    expect(requests).toContain("wallet_switchEthereumChain");
    expect(requests).not.toContain("eth_sendTransaction");
  });
});

describe("a payment that waited in line, whose price is quoted again,", () => {
  test.each<[string, number, object, object]>([
    ["below the band", 0.003, {}, { code: "PAYMENT_ABOVE_LIMIT", details: { maxAmount: "3333333333333333" } }],
    ["above the band", 3_000_000, {}, { code: "TICKER_FAILED", details: { high: 30_000 } }],
    ["far from the feed", 3_400, { usd: 3_000 }, { code: "TICKER_FAILED", details: { ticker: 3_400, feed: 3_000 } }],
  ])("is refused: %s", async (_, ticker, answer, expected) => {
    const tools = chain();
    const feed = "usd" in answer ? { priceFeed: await createFeed(tools, answer as { usd: number }) } : {};
    const { payer, pay } = await setUp(feed);
    const countTickers = () => tools.devnet.requests().filter(({ path }) => path.includes("get_ticker")).length;
    const before = countTickers();
    await tools.rpc("evm_setAutomine", false);
    onTestFinished(() => tools.rpc<void>("evm_setAutomine", true));
    const first = pay({ size: undefined, amount: 5n });
    const second = failure(pay());
    await expect.poll(countTickers).toBe(before + 1);
    tools.devnet.setTicker("ETH", ticker);
    const { now } = performance;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => now.call(performance) + 300_000);
    onTestFinished(() => clock.mockRestore());
    await tools.rpc("evm_setAutomine", true);
    await tools.rpc("anvil_mine", "0x1");
    expect((await first).amount).toBe(5n);
    expect(await second).toMatchObject(expected);
    expect(await tools.paid(payer.address)).toBe(1);
  });
});

test("an order for such a size is limited and compared as well, as its amount is the caller's when it is paid", async () => {
  const priceFeed = await createFeed(chain(), { usd: 3_000 });
  const { order, payer } = await setUp({ priceFeed });
  const create = () => createOrder({ ...order, orderId: "an order", sender: payer.address });
  expect((await create()).amount).toBe("333333333333333");
  chain().devnet.setTicker("ETH", 3_330);
  expect(await failure(create())).toMatchObject({ code: "TICKER_FAILED", details: { ticker: 3_330, feed: 3_000 } });
  chain().devnet.setTicker("ETH", 0.003);
  expect((await failure(create())).code).toBe("PAYMENT_ABOVE_LIMIT");
});

test("what was compared is in the result of a payment that another process completes", async () => {
  const { payer, pay } = await setUp({ priceFeed: await createFeed(chain(), { usd: 3_000 }) });
  const folder = await createFolder();
  const controller = new AbortController();
  const onProgress = ({ state }: { state?: string }) => state === "sent" && controller.abort();
  const options = { orderId: `checked ${payer.address}`, signal: controller.signal, onProgress };
  expect((await failure(pay({ ...options, journal: await openJournal({ folder }) }))).code).toBe("ABORTED");
  // An order that was signed is not compared again: its amount no longer changes.
  chain().devnet.setTicker("ETH", 1_000);
  const [report] = await resumePayments(await openJournal({ folder }), { privateKey: payer.privateKey, pollMs: 5 });
  expect(report).toMatchObject({ payment: { priceCheck: "feed" } });
  expect(await chain().paid(payer.address)).toBe(1);
});
