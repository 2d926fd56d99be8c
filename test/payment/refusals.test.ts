import { inspect } from "node:util";
import { Wallet } from "ethers";
import { describe, expect, test } from "vitest";
import { networks } from "../../src/base/config/networks.ts";
import type { KeeplightError } from "../../src/base/errors/base.ts";
import { isUnfinished } from "../../src/base/errors/unfinished.ts";
import type { PayOptions } from "../../src/payment/index.ts";
import { payWithToken } from "../../src/payment/pay.ts";
import { failure } from "../support/failure.ts";
import { createServer, endpointsAt, sendJson } from "../support/http-server.ts";
import { approve, chainForTests, withRpc } from "./chain-tools.ts";
import { createRpcProxy, NodeError } from "./rpc-proxy.ts";

const chain = chainForTests();
const key = "a1".repeat(32);
const nobody = "http://127.0.0.1:9";
const quick = { pollMs: 5 };

const pay = (options: object) => failure(payWithToken(options as PayOptions));
const codeAndMessage = ({ code, message }: KeeplightError) => [code, message];

describe("before any request", () => {
  const good = { network: "polygon", rpc: nobody, token: "usdc", amount: 5n, privateKey: key } as const;

  test.each([
    [{ ...good, network: "moonbase" }, "UNSUPPORTED_NETWORK", "Unsupported Network!!!"],
    [{ ...good, network: null }, "UNSUPPORTED_NETWORK", "Unsupported Network!!!"],
    [{ ...good, token: undefined }, "MISSING_TOKEN", "Token not provided!!!"],
    [{ ...good, token: "" }, "MISSING_TOKEN", "Token not provided!!!"],
    [{ ...good, privateKey: undefined }, "MISSING_PRIVATE_KEY", "Private Key not found!!!"],
    [{ ...good, privateKey: "" }, "MISSING_PRIVATE_KEY", "Private Key not found!!!"],
    [
      { ...good, network: "filecoin", token: "dai" },
      "TOKEN_NOT_SUPPORTED",
      "Token dai cannot be paid with: this network does not have it, it has native, usdc",
    ],
    [{ ...good, maxAmount: 4n }, "PAYMENT_ABOVE_LIMIT", "The payment of 5 is above maxAmount, 4"],
    [
      { ...good, amount: undefined, size: 1, maxAmount: 3905 },
      "PAYMENT_ABOVE_LIMIT",
      "The payment of 3906 is above maxAmount, 3905",
    ],
  ])("%o", async (options, code, message) => {
    expect(codeAndMessage(await pay(options))).toEqual([code, message]);
  });

  test.each([
    ["amount", { amount: 0n }],
    ["amount", { amount: -1 }],
    ["amount", { amount: 1.5 }],
    ["amount", { amount: "5" }],
    ["amount", { amount: 2n ** 256n }],
    ["amount", { amount: 2 ** 53 }],
    ["amount", { size: 5 }],
    ["amount", { amount: undefined }],
    ["size", { amount: undefined, size: -1 }],
    ["maxAmount", { maxAmount: 0 }],
    ["confirmations", { confirmations: 0 }],
    ["waitMs", { waitMs: 0.5 }],
    ["missingMs", { missingMs: 0 }],
    ["pollMs", { pollMs: 0 }],
    ["timeoutMs", { timeoutMs: 0 }],
    ["rpc", { rpc: "ws://127.0.0.1" }],
    ["privateKey", { privateKey: `0x${key}00` }],
    ["privateKey", { privateKey: key.slice(1) }],
    ["privateKey", { privateKey: `${key.slice(1)}g` }],
    ["privateKey", { privateKey: "0".repeat(64) }],
    ["privateKey", { privateKey: "f".repeat(64) }],
    ["signer", { privateKey: undefined, signer: {} }],
    ["signer", { privateKey: undefined, signer: { getAddress: () => "", signMessage: () => "" } }],
  ])("an invalid %s is refused: %o", async (option, wrong) => {
    const error = await pay({ ...good, ...wrong });
    expect([error.code, error.details["option"]]).toEqual(["INVALID_OPTION", option]);
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(key.slice(1, 40));
  });

  test("a failing ticker stops the payment", async () => {
    const server = await createServer((_, response) => sendJson(response, 0));
    const error = await pay({
      ...good,
      token: "native",
      amount: undefined,
      size: 5,
      endpoints: endpointsAt(server.url),
    });
    expect(error.code).toBe("TICKER_FAILED");
  });

  test("a price that is too old stops the payment", async () => {
    const server = await createServer((_, response) => {
      response.setHeader("age", "86400");
      sendJson(response, 4);
    });
    const endpoints = endpointsAt(server.url);
    const error = await pay({ ...good, token: "native", amount: undefined, size: 5, endpoints });
    expect(codeAndMessage(error)).toEqual([
      "TICKER_FAILED",
      "Failed to get ticker price: The price is 86400 seconds old",
    ]);
  });

  test.each(["http://", "https://[", "http://a b/key-0123456789"])("%s is not the URL of a node", async (rpc) => {
    const error = await pay({ ...good, rpc });
    expect([error.code, error.details["option"]]).toEqual(["INVALID_OPTION", "rpc"]);
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain("key-0123456789");
  });
});

describe("before anything is signed", () => {
  test.each(["usdc", "native"] as const)("the node must be on the right chain (%s)", async (token) => {
    const { network } = chain();
    const error = await pay({ network: { ...network, chain_id: 137 }, token, amount: 5n, privateKey: key });
    expect(codeAndMessage(error)).toEqual(["WRONG_CHAIN", "The node is on chain 31337, the payment is for chain 137"]);
  });

  test("the wallet must be on the right chain, even if another node is used", async () => {
    const { network, rpc } = chain();
    const payer = await chain().payer();
    const requests: string[] = [];
    const signer = {
      request: async ({ method, params = [] }: { method: string; params?: unknown }) => {
        requests.push(method);
        if (method === "eth_requestAccounts") return [payer.address];
        return method === "eth_chainId" ? "0x1" : rpc(method, ...(params as unknown[]));
      },
    };
    const error = await pay({ network, rpc: network.rpc, token: "native", amount: 5n, signer });
    expect(codeAndMessage(error)).toEqual(["WRONG_CHAIN", "The wallet is on chain 1, the payment is for chain 31337"]);
    expect(requests).not.toContain("eth_sendTransaction");
  });

  test.each(["usdc", "native"] as const)("there must be a payment contract (%s)", async (token) => {
    const tools = chain();
    const { privateKey } = await tools.payer();
    const empty = Wallet.createRandom().address;
    const none = await pay({ network: { ...tools.network, contract: empty }, token, amount: 5n, privateKey });
    expect(codeAndMessage(none)).toEqual(["WRONG_CONTRACT", `Wrong contract at ${empty}: there is none`]);
    const other = tools.network.tokens.dai?.address;
    const wrong = await pay({ network: { ...tools.network, contract: other }, token, amount: 5n, privateKey });
    expect(codeAndMessage(wrong)).toEqual([
      "WRONG_CONTRACT",
      `Wrong contract at ${other}: it is not a payment contract`,
    ]);
  });

  test("the contract must accept the token", async () => {
    const tools = chain();
    const { privateKey } = await tools.payer();
    const network = tools.withToken(Wallet.createRandom().address);
    expect(codeAndMessage(await pay({ network, token: "usdc", amount: 5n, privateKey }))).toEqual([
      "TOKEN_NOT_SUPPORTED",
      "Token usdc cannot be paid with: the payment contract does not accept it",
    ]);
  });

  test("a row with other decimals than the token's is refused", async () => {
    const tools = chain();
    const { privateKey } = await tools.payer();
    const { usdc } = tools.network.tokens;
    const network = { ...tools.network, tokens: { usdc: { address: usdc?.address ?? "", decimals: 18 } } };
    const error = await pay({ network, token: "usdc", size: 5, privateKey });
    expect(codeAndMessage(error)).toEqual([
      "WRONG_CONTRACT",
      `Wrong contract at ${usdc?.address}: it has 6 decimals, the network's row says 18`,
    ]);
  });

  test("the balance must cover the amount", async () => {
    const tools = chain();
    const payer = await tools.payer();
    const { network } = tools;
    const { privateKey } = payer;
    for (const token of ["usdc", "usdt", "dai", "native"] as const) {
      const amount = (await tools.balance(token, payer.address)) + 1n;
      const error = await pay({ network, token, amount, privateKey });
      const asset = token === "native" ? "ETH" : token;
      expect(codeAndMessage(error)).toEqual([
        "INSUFFICIENT_FUNDS",
        `The balance in ${asset} does not cover the amount`,
      ]);
      expect(error.details).toEqual({ asset, needed: String(amount), available: String(amount - 1n) });
    }
  });

  test("the balance must cover the gas of all remaining steps", async () => {
    const tools = chain();
    const payer = await tools.payer();
    const { network } = tools;
    const { privateKey } = payer;
    // enough for the approval alone
    await tools.rpc("anvil_setBalance", payer.address, `0x${(10n ** 14n).toString(16)}`);
    await tools.rpc("anvil_setNextBlockBaseFeePerGas", "0x3b9aca00");
    await tools.rpc("anvil_mine", "0x1");
    const error = await pay({ network, token: "usdc", amount: 5n, privateKey });
    expect(codeAndMessage(error)).toEqual(["INSUFFICIENT_FUNDS", "The balance in ETH does not cover the gas"]);
    const coins = await pay({ network, token: "native", amount: 10n ** 14n, privateKey });
    expect(codeAndMessage(coins)).toEqual([
      "INSUFFICIENT_FUNDS",
      "The balance in ETH does not cover the amount and the gas",
    ]);
    expect(await tools.rpc("eth_getTransactionCount", payer.address, "pending")).toBe("0x0");
  });

  test("a signed transaction that differs is not sent", async () => {
    const tools = chain();
    const { wallet, address } = await tools.payer();
    const thief = Wallet.createRandom().address;
    const signer = {
      provider: wallet.provider,
      getAddress: async () => address,
      sendTransaction: (fields: object) => wallet.sendTransaction(fields),
      signTransaction: (fields: object) => wallet.signTransaction({ ...fields, to: thief }),
    };
    const error = await pay({ network: tools.network, token: "native", amount: 5n, signer });
    expect(codeAndMessage(error)).toEqual([
      "INVALID_SIGNATURE",
      "The signer signed another transaction than the requested one",
    ]);
    expect(await tools.balance("native", thief)).toBe(0n);
  });
});

describe("faulty tokens", () => {
  test.each([
    ["feeTaking", "990"],
    ["noTransfer", "0"],
    ["noTransferWithEvent", "0"],
  ] as const)("%s: nothing is paid, because less would arrive", async (name, received) => {
    const tools = chain();
    const payer = await tools.payer();
    const network = tools.withToken(tools.chain.faultyTokens[name]);
    const error = await pay({ network, token: "usdc", amount: 1000n, privateKey: payer.privateKey, ...quick });
    expect(codeAndMessage(error)).toEqual([
      "PAYMENT_UNDERPAID",
      `The payment contract would receive ${received} of 1000`,
    ]);
    expect(error.details["hash"]).toBeUndefined();
    expect(await tools.paid(payer.address)).toBe(0);
  });

  test.each([
    ["feeTaking", "990"],
    ["noTransfer", "0"],
    ["noTransferWithEvent", undefined],
  ] as const)("%s: if the node cannot simulate it, the error has the hash", async (name, received) => {
    const tools = chain();
    const payer = await tools.payer();
    const proxy = await createRpcProxy(tools.chain.rpc, ({ method, params, forward }) => {
      if (method === "eth_call" && params.length > 2)
        throw new NodeError(-32_602, "too many arguments, want at most 2");
      return forward();
    });
    const network = withRpc(tools.withToken(tools.chain.faultyTokens[name]), proxy.url);
    const error = await pay({ network, token: "usdc", amount: 1000n, privateKey: payer.privateKey, ...quick });
    const message = `The payment contract received ${received} of 1000`;
    // Where the event and the balances disagree, the node may be what is wrong.
    expect([error.code, error.message === message]).toEqual(
      received === undefined ? ["PAYMENT_UNKNOWN", false] : ["PAYMENT_UNDERPAID", true],
    );
    expect(error.details["hash"]).toMatch(/^0x[0-9a-f]{64}$/);
    expect(isUnfinished(error)).toBe(received === undefined);
    expect(await tools.paid(payer.address)).toBe(1);
  });

  test("a token that reverts in transferFrom: the error has the contract's reason", async () => {
    const tools = chain();
    const payer = await tools.payer();
    const network = tools.withToken(tools.chain.faultyTokens.refusing);
    const error = await pay({ network, token: "usdc", amount: 1000n, privateKey: payer.privateKey, ...quick });
    expect(codeAndMessage(error)).toEqual([
      "PAYMENT_REVERTED",
      "The transaction was reverted (pay): the token did not transfer the amount",
    ]);
    expect(error.details).toMatchObject({ error: "TOKEN_PAYMENT_FAILED", transactions: [{ step: "approve" }] });
  });

  test("a node that cannot simulate, and a correct token: paid", async () => {
    const tools = chain();
    const payer = await tools.payer();
    const proxy = await createRpcProxy(tools.chain.rpc, ({ method, params, forward }) => {
      if (method === "eth_call" && params.length > 2) params.length = 2;
      return forward();
    });
    await approve(tools, payer, "usdt", 10n);
    const { transactions } = await payWithToken({
      network: withRpc(tools.network, proxy.url),
      token: "usdt",
      amount: 10n,
      privateKey: payer.privateKey,
      ...quick,
    });
    expect(transactions).toHaveLength(1);
    expect(await tools.paid(payer.address)).toBe(1);
  });
});

test("the public networks' rows are used unchanged", async () => {
  const proxy = await createRpcProxy(nobody, async () => "0x1");
  const error = await pay({ network: "optimism", rpc: proxy.url, token: "usdc", amount: 5n, privateKey: key });
  expect(error.details).toEqual({ expected: networks.optimism.chain_id, got: "1" });
  expect(proxy.methods).toContain("eth_chainId");
  expect(proxy.methods).not.toContain("eth_estimateGas");
});
