import { Interface } from "ethers";
import { describe, expect, test } from "vitest";
import { networks } from "../../src/base/config/networks.ts";
import { UnfinishedError } from "../../src/base/errors/unfinished.ts";
import type { TransactionFields } from "../../src/network/ethereum/wallet/signer.ts";
import type { PayOptions, UnfinishedPayment } from "../../src/payment/index.ts";
import { payWithToken } from "../../src/payment/pay.ts";
import { failure } from "../support/failure.ts";
import { chainForTests, withRpc } from "./chain-tools.ts";
import { createRpcProxy, type RpcCall } from "./rpc-proxy.ts";

const GWEI = 10n ** 9n;
const COIN = 10n ** 18n;
const hex = (value: bigint | number) => `0x${value.toString(16)}`;
const encodeUint256 = (value: bigint) => `0x${value.toString(16).padStart(64, "0")}`;
const quick = { pollMs: 5 };

/** Handles calls as a node with this base fee and suggested tip. */
const suggestFees =
  (base: bigint, tip: bigint) =>
  async ({ method, forward }: Pick<RpcCall, "method" | "forward">): Promise<unknown> => {
    if (method === "eth_maxPriorityFeePerGas") return hex(tip);
    const result = await forward();
    return method === "eth_getBlockByNumber" ? { ...(result as object), baseFeePerGas: hex(base) } : result;
  };

describe("fees that a node suggests", () => {
  const chain = chainForTests();

  async function setUp(handler?: (call: RpcCall) => Promise<unknown>) {
    const tools = chain();
    const payer = await tools.payer();
    const proxy = await createRpcProxy(tools.chain.rpc, handler);
    const network = withRpc(tools.network, proxy.url);
    const pay = (options: Partial<PayOptions> = {}) =>
      payWithToken({
        network,
        token: "native",
        amount: 5n,
        privateKey: payer.privateKey,
        ...quick,
        ...options,
      } as PayOptions);
    return { tools, payer, proxy, pay };
  }

  test.each<[string, (call: RpcCall) => Promise<unknown>]>([
    ["tip", suggestFees(GWEI, 10n ** 16n)],
    ["base fee", suggestFees(10n ** 16n, GWEI)],
    ["tip beyond any number of a transaction", suggestFees(GWEI, 2n ** 256n - 1n)],
    [
      "gas price, if blocks have no base fee",
      async ({ method, forward }) => {
        if (method === "eth_gasPrice") return hex(10n ** 16n);
        const result = await forward();
        return method === "eth_getBlockByNumber" ? { ...(result as object), baseFeePerGas: undefined } : result;
      },
    ],
    ["estimate of gas", async ({ method, forward }) => (method === "eth_estimateGas" ? hex(10n ** 12n) : forward())],
  ])("with an absurd %s, neither key nor wallet nor signer signs anything", async (_, handler) => {
    const { tools, payer, proxy, pay } = await setUp(handler);
    const requests: string[] = [];
    const wallet = {
      request: ({ method, params = [] }: { method: string; params?: unknown }): Promise<unknown> => {
        requests.push(method);
        if (method === "eth_requestAccounts") return Promise.resolve([payer.address]);
        return tools.rpc(method, ...(params as unknown[]));
      },
    };
    const signer = {
      getAddress: () => payer.address,
      signTransaction: async (fields: TransactionFields) => {
        requests.push("signTransaction");
        return payer.wallet.signTransaction(fields);
      },
      sendTransaction: (fields: TransactionFields) => payer.wallet.sendTransaction(fields),
    };
    for (const token of ["native", "usdt"] as const) {
      for (const who of [
        {},
        { privateKey: undefined, signer },
        { privateKey: undefined, signer: wallet, rpc: proxy.url },
      ]) {
        const error = await failure(pay({ ...who, token } as Partial<PayOptions>));
        expect([error.code, error instanceof UnfinishedError]).toEqual(["FEE_TOO_HIGH", false]);
        expect(error.details).toMatchObject({ asset: "ETH", maxFee: String(COIN / 10n) });
        expect(BigInt(String(error.details["fee"]))).toBeGreaterThan(COIN / 10n);
      }
    }
    expect(requests.filter((method) => /send|sign/i.test(method))).toEqual([]);
    expect(proxy.count("eth_sendRawTransaction")).toBe(0);
    expect(await tools.rpc("eth_getTransactionCount", payer.address, "pending")).toBe("0x0");
  });

  test("a limit of exactly the fee pays, one unit less does not", async () => {
    const { tools, payer, pay } = await setUp(suggestFees(5n * GWEI, 2n * GWEI));
    const error = await failure(pay({ maxFee: 0 }));
    const fee = BigInt(String(error.details["fee"]));
    expect(error.message).toBe(`The network fee of up to ${fee} is above maxFee, 0 (ETH)`);
    expect((await failure(pay({ maxFee: fee - 1n }))).code).toBe("FEE_TOO_HIGH");
    expect(await tools.paid(payer.address)).toBe(0);
    expect((await pay({ maxFee: fee })).fee).toBeLessThanOrEqual(fee);
    expect(await tools.paid(payer.address)).toBe(1);
  });

  test("the limit covers the whole payment: a limit for only the approval is refused before it", async () => {
    const { tools, payer, proxy, pay } = await setUp(suggestFees(5n * GWEI, 2n * GWEI));
    const fee = BigInt(String((await failure(pay({ token: "usdc", maxFee: 0 }))).details["fee"]));
    const error = await failure(pay({ token: "usdc", maxFee: fee / 2n }));
    expect([error.code, error.details["step"], error instanceof UnfinishedError]).toEqual([
      "FEE_TOO_HIGH",
      "approve",
      false,
    ]);
    expect(proxy.count("eth_sendRawTransaction")).toBe(0);
    expect((await pay({ token: "usdc", maxFee: fee })).fee).toBeLessThanOrEqual(fee);
    expect(await tools.paid(payer.address)).toBe(1);
  });

  test("fees that rise after the approval stop the payment, and resume continues with a higher limit", async () => {
    const { tools, payer, proxy, pay } = await setUp((call) =>
      suggestFees(GWEI, proxy.count("eth_sendRawTransaction") > 0 ? 400n * GWEI : GWEI)(call),
    );
    const maxFee = 2n * 10n ** 15n;
    const error = (await failure(pay({ token: "dai", maxFee }))) as UnfinishedPayment;
    expect(error).toBeInstanceOf(UnfinishedError);
    expect([error.code, error.details["step"]]).toEqual(["FEE_TOO_HIGH", "pay"]);
    expect(error.details["transactions"]).toMatchObject([{ step: "approve" }]);
    expect((await failure(error.resume())).code).toBe("FEE_TOO_HIGH");
    const refused = await failure(error.resume({ maxFee: -1n }));
    expect([refused.code, refused.details["option"]]).toEqual(["INVALID_OPTION", "maxFee"]);
    const fee = BigInt(String(error.details["fee"]));
    expect((await error.resume({ maxFee: 2n * fee })).transactions.map(({ step }) => step)).toEqual(["approve", "pay"]);
    expect(await tools.paid(payer.address)).toBe(1);
  });

  test.each<[string, Record<string, unknown>, string]>([
    ["a higher fee", { maxFeePerGas: 10n ** 15n }, "FEE_TOO_HIGH"],
    ["a legacy gas price", { type: 0, gasPrice: 10n ** 15n }, "FEE_TOO_HIGH"],
    ["a higher gas limit", { gasLimit: 10n ** 12n }, "FEE_TOO_HIGH"],
    [
      "fees for blobs",
      { type: 3, maxFeePerBlobGas: 10n ** 15n, blobVersionedHashes: [`0x01${"00".repeat(31)}`] },
      "INVALID_SIGNATURE",
    ],
  ])("a signer that signs %s beyond the limit: it is not sent", async (_, change, code) => {
    const { tools, payer, proxy, pay } = await setUp();
    const signer = {
      getAddress: () => payer.address,
      sendTransaction: (fields: TransactionFields) => payer.wallet.sendTransaction(fields),
      signTransaction: (fields: TransactionFields) => {
        const { maxFeePerGas: _, maxPriorityFeePerGas: __, ...legacy } = fields;
        return payer.wallet.signTransaction({ ...(change["type"] === 0 ? legacy : fields), ...change });
      },
    };
    const error = await failure(pay({ privateKey: undefined, signer }));
    expect([error.code, error instanceof UnfinishedError]).toEqual([code, false]);
    expect(proxy.count("eth_sendRawTransaction")).toBe(0);
    expect(await tools.rpc("eth_getTransactionCount", payer.address, "pending")).toBe("0x0");
  });

  test("a signer that signs other fees within the limit pays", async () => {
    const { tools, payer, pay } = await setUp();
    const signer = {
      getAddress: () => payer.address,
      sendTransaction: (fields: TransactionFields) => payer.wallet.sendTransaction(fields),
      signTransaction: (fields: TransactionFields) =>
        payer.wallet.signTransaction({ ...fields, gasLimit: 200_000n, maxFeePerGas: 20n * GWEI }),
    };
    await pay({ privateKey: undefined, signer, token: "usdt" });
    expect(await tools.paid(payer.address)).toBe(1);
  });

  test.each([-1, 0.5, "5", Number.MAX_VALUE, null])("a maxFee of %s is refused", async (maxFee) => {
    const { pay } = await setUp();
    const error = await failure(pay({ maxFee } as unknown as Partial<PayOptions>));
    expect([error.code, error.details["option"]]).toEqual(["INVALID_OPTION", "maxFee"]);
  });
});

describe("the default limit", () => {
  const abi = new Interface([
    "function getNativeBalance()",
    "function getTokenStatus(address)",
    "function balanceOf(address)",
    "function allowance(address, address)",
    "function approve(address, uint256)",
    "function getL1Fee(bytes)",
  ]);

  /** Prices of a chain in a busy hour, and the gas of an approval, which is far larger on Filecoin. */
  interface Hour {
    base: bigint;
    tip: bigint;
    gas: bigint;
    l1Fee: bigint;
  }

  const evm = { gas: 60_000n, l1Fee: 0n };
  const fantom = { ...evm, base: 3_000n * GWEI, tip: 10n * GWEI };
  const polygon = { ...evm, base: 5_000n * GWEI, tip: 50n * GWEI };
  const binance = { ...evm, base: 0n, tip: 60n * GWEI };
  const optimism = { ...evm, base: 5n * GWEI, tip: GWEI, l1Fee: (2n * COIN) / 1_000n };
  const filecoin = { base: 10n * GWEI, tip: GWEI, gas: 20_000_000n, l1Fee: 0n };
  const calibration = { ...filecoin, base: 100n * GWEI };
  const busy: Readonly<Record<keyof typeof networks, Hour>> = {
    fantom,
    polygon,
    binance,
    optimism,
    filecoin,
    calibration,
    "fantom-testnet": fantom,
    "polygon-testnet": polygon,
    "binance-testnet": binance,
    "optimism-testnet": optimism,
    "wallaby-testnet": calibration,
  };

  /**
   * A chain with these prices, on which the payer has tokens and one unit of the coin: a payment ends at the gas check.
   */
  const chainAt =
    (chainId: number, { base, tip, gas, l1Fee }: Hour) =>
    async ({ method, params }: RpcCall): Promise<unknown> => {
      if (method === "eth_chainId") return hex(chainId);
      if (method === "eth_getCode") return "0x01";
      if (method === "eth_getBalance") return "0x1";
      if (method === "eth_getBlockByNumber") return { baseFeePerGas: hex(base) };
      if (method === "eth_maxPriorityFeePerGas") return hex(tip);
      if (method === "eth_estimateGas") return hex(gas);
      if (method === "eth_getTransactionCount" || method === "eth_blockNumber") return "0x0";
      const [{ data }] = params as [{ data: string }];
      const call = abi.parseTransaction({ data })?.name;
      if (call === "getL1Fee") return encodeUint256(l1Fee);
      return encodeUint256(call === "allowance" ? 0n : 1n);
    };

  async function pay(name: keyof typeof networks, hour: Hour) {
    const { chain_id: chainId, tokens } = networks[name];
    const [token = "native"] = Object.keys(tokens) as (keyof typeof tokens)[];
    const { url } = await createRpcProxy("http://127.0.0.1:9", chainAt(chainId, hour));
    return failure(payWithToken({ network: networks[name], rpc: url, token, amount: 1n, privateKey: "1".repeat(64) }));
  }

  test.each(Object.entries(busy) as [keyof typeof networks, Hour][])(
    "of %s allows a payment in a busy hour, and stops one at a hundred times its prices",
    async (name, hour) => {
      expect((await pay(name, hour)).code).toBe("INSUFFICIENT_FUNDS");
      const { gas } = hour;
      const absurd = { gas, base: hour.base * 100n, tip: hour.tip * 100n, l1Fee: hour.l1Fee * 100n };
      const error = await pay(name, absurd);
      expect(error.code).toBe("FEE_TOO_HIGH");
      expect(BigInt(String(error.details["maxFee"]))).toBeLessThanOrEqual(50n * COIN);
    },
  );

  test("includes the L1 fee", async () => {
    const error = await pay("optimism", { ...evm, base: 1n, tip: 1n, l1Fee: COIN });
    expect([error.code, error.details["maxFee"]]).toEqual(["FEE_TOO_HIGH", String(COIN / 100n)]);
  });

  test("is a tenth of a coin on other chains", async () => {
    const { url } = await createRpcProxy("http://127.0.0.1:9", chainAt(8453, { ...evm, base: 10n ** 15n, tip: 0n }));
    const network = { ...networks.optimism, chain_id: 8453, opStack: false };
    const error = await failure(
      payWithToken({ network, rpc: url, token: "usdc", amount: 1n, privateKey: "1".repeat(64) }),
    );
    expect([error.code, error.details["maxFee"]]).toEqual(["FEE_TOO_HIGH", String(COIN / 10n)]);
  });
});
