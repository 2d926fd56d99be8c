import { describe, expect, test } from "vitest";
import type { PaymentNetwork, StableToken } from "../../src/base/config/networks.ts";
import { estimatePayment, type PaymentEstimate, payWithToken } from "../../src/index.ts";
import type { PayOptions } from "../../src/payment/index.ts";
import { failure } from "../support/failure.ts";
import { approve, chainForTests, type Payer, withRpc } from "./chain-tools.ts";
import { createRpcProxy, NodeError } from "./rpc-proxy.ts";

const chain = chainForTests();
const stranger = `0x${"ab".repeat(20)}`;
const listSteps = ({ steps }: PaymentEstimate) => steps.map(({ step, isTypical }) => `${step}${isTypical ? "?" : ""}`);

function setUp(payer: Pick<Payer, "address">) {
  const { network, devnet } = chain();
  const shared = { network, address: payer.address, endpoints: devnet.endpoints };
  return {
    estimate: (options: object) => estimatePayment({ ...shared, ...options } as never),
    pay: (privateKey: string, options: object) =>
      payWithToken({ network, endpoints: devnet.endpoints, privateKey, pollMs: 5, ...options } as PayOptions),
  };
}

async function readGas(hash: string): Promise<bigint> {
  return BigInt((await chain().rpc<{ gasUsed: string }>("eth_getTransactionReceipt", hash)).gasUsed);
}

test("a payment in the chain's own coin costs what was estimated", async () => {
  const payer = await chain().payer();
  const { estimate, pay } = setUp(payer);
  const before = await estimate({ token: "native", amount: 5_000n });
  expect(listSteps(before)).toEqual(["pay"]);
  expect(before).toMatchObject({ token: "native", amount: 5_000n, decimals: 18, from: payer.address, symbol: "ETH" });
  expect(before).toMatchObject({ isAffordable: true, missing: [], total: before.fee + 5_000n });
  const { hash, fee } = await pay(payer.privateKey, { token: "native", amount: 5_000n, maxFee: before.maxFee * 2n });
  expect(before.steps[0].gas).toBe(await readGas(hash));
  expect(fee).toBeLessThanOrEqual(before.maxFee);
});

test("a private key names the payer, and an invalid one is refused without repeating it", async () => {
  const payer = await chain().payer();
  const { estimate } = setUp(payer);
  const order = { token: "native", amount: 5_000n, address: undefined };
  expect((await estimate({ ...order, privateKey: payer.privateKey })).from).toBe(payer.address);
  const error = await failure(estimate({ ...order, privateKey: "0xno-such-key" }));
  expect([error.code, error.details["option"], JSON.stringify(error).includes("no-such")]).toEqual([
    "INVALID_OPTION",
    "privateKey",
    false,
  ]);
});

test.each(["usdc", "usdt", "dai"] as const)("a payment in %s takes an approval first, then none", async (token) => {
  const payer = await chain().payer();
  const { estimate, pay } = setUp(payer);
  const order = { token, amount: 700n };
  const before = await estimate(order);
  expect(listSteps(before)).toEqual(["approve", "pay?"]);
  expect(before).toMatchObject({ isAffordable: true, total: before.fee });
  expect(before.fee).toBe(before.steps.reduce((sum, { fee }) => sum + fee, 0n));
  await approve(chain(), payer, token, 700n);
  const after = await estimate(order);
  expect(listSteps(after)).toEqual(["pay"]);
  const { hash } = await pay(payer.privateKey, order);
  // What is refunded for the allowance that ends is not in an estimate.
  expect(after.steps[0].gas).toBeGreaterThanOrEqual(await readGas(hash));
  expect(before.steps.at(-1)?.gas).toBeGreaterThanOrEqual(after.steps[0].gas);
});

test("a token that requires it is reset first", async () => {
  const payer = await chain().payer();
  await approve(chain(), payer, "usdt", 7n);
  const { estimate, pay } = setUp(payer);
  const order = { token: "usdt", amount: 700n };
  const before = await estimate(order);
  expect(listSteps(before)).toEqual(["reset-allowance", "approve?", "pay?"]);
  const { transactions, fee } = await pay(payer.privateKey, order);
  expect(transactions.map(({ step }) => step)).toEqual(before.steps.map(({ step }) => step));
  expect(fee).toBeLessThanOrEqual(before.maxFee);
});

test("a size is estimated at its price, and everything in exact US dollars", async () => {
  const { devnet } = chain();
  devnet.setTicker("ETH", 2_500.5);
  const payer = await chain().payer();
  const { estimate } = setUp(payer);
  const inTokens = await estimate({ token: "usdc", size: 256 * 2 ** 20 });
  expect([inTokens.amount, inTokens.usd?.amount]).toEqual([1_000_000n, "1"]);
  expect(inTokens.usd?.total).toBe(inTokens.usd?.fee.replace(/^\d+/, (whole) => String(Number(whole) + 1)));
  const inCoins = await estimate({ token: "native", size: 256 * 2 ** 20 });
  expect(inCoins.amount).toBe(399_920_015_996_801n);
  const { amount = "", fee = "", total = "" } = inCoins.usd ?? {};
  const toTenths = (decimal: string) => {
    const [whole = "", fraction = ""] = decimal.split(".");
    return BigInt(whole + fraction.padEnd(19, "0"));
  };
  expect(toTenths(amount)).toBe(inCoins.amount * 25_005n);
  expect(toTenths(fee)).toBe(inCoins.fee * 25_005n);
  expect(toTenths(total)).toBe(inCoins.total * 25_005n);
});

test("without a price of the coin there are no US dollars", async () => {
  const { estimate } = setUp({ address: stranger });
  const network = { ...chain().network, symbol: "NONE" };
  expect(await estimate({ network, token: "usdc", amount: 5n })).not.toHaveProperty("usd");
  expect((await failure(estimate({ network, token: "native", size: 5n }))).code).toBe("TICKER_FAILED");
});

describe("an address that cannot pay", () => {
  test.each(["native", "usdc", "usdt", "dai"] as const)(
    "in %s: what is missing is enough, one unit less is not",
    async (token) => {
      const payer = await chain().payer();
      const { estimate, pay } = setUp(payer);
      await chain().rpc("anvil_setBalance", payer.address, "0x0");
      const order = { token, amount: 900n };
      const before = await estimate(order);
      expect(before.missing).toEqual([{ asset: "ETH", amount: before.maxFee + (token === "native" ? 900n : 0n) }]);
      expect(before.isAffordable).toBe(false);
      const [{ amount: missing } = { amount: 0n }] = before.missing;
      const setBalance = (coins: bigint) => chain().rpc("anvil_setBalance", payer.address, `0x${coins.toString(16)}`);
      await setBalance(missing - 1n);
      expect((await failure(pay(payer.privateKey, order))).code).toBe("INSUFFICIENT_FUNDS");
      await setBalance(missing);
      expect((await estimate(order)).isAffordable).toBe(true);
      expect((await pay(payer.privateKey, order)).fee).toBeLessThanOrEqual(before.maxFee);
    },
  );

  test.each([
    ["native", [], ["pay"]],
    ["usdc", ["usdc"], ["approve", "pay?"]],
  ] as const)("because it has nothing, in %s", async (token, tokens, steps) => {
    const { estimate } = setUp({ address: stranger });
    const result = await estimate({ token, amount: 5_000n });
    expect(result.missing.map(({ asset }) => asset)).toEqual([...tokens, "ETH"]);
    expect(listSteps(result)).toEqual(steps);
    expect(result.fee).toBeGreaterThan(0n);
  });

  test("although it has approved: the payment's gas is typical", async () => {
    const payer = await chain().payer();
    await approve(chain(), payer, "dai", 10n ** 40n);
    const { estimate } = setUp(payer);
    const result = await estimate({ token: "dai", amount: 10n ** 40n });
    expect(listSteps(result)).toEqual(["pay?"]);
    expect(result.missing).toEqual([{ asset: "dai", amount: 10n ** 40n - 10n ** 24n }]);
  });

  test("through a node that cannot estimate with other balances", async () => {
    const proxy = await createRpcProxy(chain().chain.rpc, async ({ method, params, forward }) => {
      if (method === "eth_estimateGas" && params.length > 1) throw new NodeError(-32602, "too many arguments");
      return forward();
    });
    const { estimate } = setUp({ address: stranger });
    const exact = await estimate({ token: "native", amount: 5_000n });
    const typical = await estimate({ token: "native", amount: 5_000n, rpc: proxy.url });
    expect([listSteps(exact), listSteps(typical)]).toEqual([["pay"], ["pay?"]]);
    expect(Number(typical.steps[0].gas)).toBeCloseTo(Number(exact.steps[0].gas), -4);
  });
});

describe("a wallet of the page", () => {
  const createWallet = (accounts: string[]) => {
    const requests: string[] = [];
    const request = async ({ method }: { method: string }): Promise<unknown> => {
      requests.push(method);
      return accounts;
    };
    return { requests, signer: { request } };
  };

  test("opens no window", async () => {
    const { signer, requests } = createWallet([stranger]);
    const { estimate } = setUp({ address: stranger });
    const { from } = await estimate({ address: undefined, signer, token: "dai", amount: 5n });
    expect([from, requests]).toEqual([stranger, ["eth_accounts"]]);
  });

  test("that has shown no account is refused", async () => {
    const { signer } = createWallet([]);
    const { estimate } = setUp({ address: stranger });
    expect((await failure(estimate({ address: undefined, signer, token: "dai", amount: 5n }))).code).toBe(
      "INVALID_ADDRESS",
    );
  });
});

test("a signer is only asked for its address", async () => {
  const payer = await chain().payer();
  const { estimate } = setUp(payer);
  const signer = payer.wallet.connect(null);
  expect((await estimate({ address: undefined, signer, token: "usdc", amount: 5n })).from).toBe(payer.address);
});

test("a chain of the OP Stack charges for the data of each transaction", async () => {
  const oracle = "0x420000000000000000000000000000000000000f";
  // Returns 8,000 for any argument.
  await chain().rpc("anvil_setCode", oracle, "0x611f4060005260206000f3");
  const { estimate } = setUp({ address: stranger });
  const order = { token: "usdc", amount: 5n };
  const network: PaymentNetwork = { ...chain().network, opStack: true };
  const [without, result] = [await estimate(order), await estimate({ ...order, network })];
  expect(result.steps.map(({ l1Fee }) => l1Fee)).toEqual([10_000n, 10_000n]);
  expect(result.maxFee - without.maxFee).toBe(20_000n);
});

describe("is refused, and nothing is sent,", () => {
  test.each<[string, object, string]>([
    ["without a payer", { address: undefined }, "INVALID_OPTION"],
    ["for a payer that no EVM has", { address: "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtVq" }, "INVALID_ADDRESS"],
    ["without a token", { token: undefined }, "MISSING_TOKEN"],
    ["for an amount and a size", { size: 5 }, "INVALID_OPTION"],
    ["for a token of another chain", { token: "wbtc" as StableToken }, "TOKEN_NOT_SUPPORTED"],
    ["on an unknown network", { network: "moonbase" }, "UNSUPPORTED_NETWORK"],
  ])("%s", async (_, options, code) => {
    const proxy = await createRpcProxy(chain().chain.rpc);
    const { estimate } = setUp({ address: stranger });
    const network = withRpc(chain().network, proxy.url);
    expect((await failure(estimate({ network, token: "usdc", amount: 5n, ...options }))).code).toBe(code);
    expect(proxy.methods).toEqual([]);
  });

  test("through a node of another chain, or for a contract that takes no payments", async () => {
    const { estimate } = setUp({ address: stranger });
    const { network } = chain();
    const codes = [{ chain_id: 5 }, { contract: stranger }].map(async (wrong) => {
      const error = await failure(estimate({ network: { ...network, ...wrong }, token: "native", amount: 5n }));
      return error.code;
    });
    expect(await Promise.all(codes)).toEqual(["WRONG_CHAIN", "WRONG_CONTRACT"]);
  });

  test("for a token that would not arrive in full", async () => {
    const payer = await chain().payer();
    const { chain: devnetChain, withToken } = chain();
    const network = withToken(devnetChain.faultyTokens.feeTaking);
    await approve({ ...chain(), network }, payer, "usdc", 500n);
    const { estimate } = setUp(payer);
    expect((await failure(estimate({ network, token: "usdc", amount: 500n }))).code).toBe("PAYMENT_UNDERPAID");
  });

  test("if a node suggests fees beyond any transaction", async () => {
    const proxy = await createRpcProxy(chain().chain.rpc, async ({ method, forward }) =>
      method === "eth_maxPriorityFeePerGas" ? `0x${"f".repeat(64)}` : forward(),
    );
    const { estimate } = setUp({ address: stranger });
    expect((await failure(estimate({ rpc: proxy.url, token: "native", amount: 5n }))).code).toBe("INVALID_RESPONSE");
  });
});
