import { createWalletClient, custom, fallback, http, type Transport } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { describe, expect, test } from "vitest";
import { createApiKey, estimatePayment } from "../../src/index.ts";
import type { PayOptions, UnfinishedPayment } from "../../src/payment/index.ts";
import { payWithToken } from "../../src/payment/pay.ts";
import { failure } from "../support/failure.ts";
import { chainForTests } from "./chain-tools.ts";
import { Broken, createRpcProxy, NodeError, Reply, type RpcCall, type RpcProxy } from "./rpc-proxy.ts";
import { createCallsWallet, toSmartAccount } from "./smart-account.ts";

// A client of viem repeats a failed request three times: nothing that prompts the user may be repeated.

const chain = chainForTests();
const SEND = "eth_sendTransaction";
const CALLS = "wallet_sendCalls";
const SWITCH = "wallet_switchEthereumChain";

/** How the answer of a wallet gets lost. */
const losses: [string, () => Promise<never> | never][] = [
  ["an error without a code", () => reply({ error: { message: "lost" } })],
  ["-32603", () => reply({ error: { code: -32_603, message: "internal error" } })],
  ["-32005", () => reply({ error: { code: -32_005, message: "limit exceeded" } })],
  ["429", () => reply({ error: { code: 429, message: "too many requests" } }, 429)],
  ["503 with a time to wait", () => reply({ error: { message: "busy" } }, 503, { "retry-after": "1" })],
  ["a cut connection", () => reject(new Broken())],
  ["no answer within the client's time limit", () => new Promise(() => undefined)],
];

function reply(fields: object, status?: number, headers?: Readonly<Record<string, string>>): never {
  throw new Reply(fields, status, headers);
}

function reject(error: Error): never {
  throw error;
}

/** A signing service of one account, over HTTP, which handles requests as `handle` says. */
async function setUp(
  handle: (call: RpcCall) => Promise<unknown>,
  toTransport = (proxy: RpcProxy): Transport => http(proxy.url, { timeout: 1_000 }),
) {
  const tools = chain();
  const payer = await tools.payer();
  await tools.rpc("anvil_impersonateAccount", payer.address);
  const proxy = await createRpcProxy(tools.chain.rpc, handle);
  const account = payer.address as `0x${string}`;
  const client = createWalletClient({ account, transport: toTransport(proxy) });
  const options = { network: tools.network, amount: 1000n, signer: client, rpc: tools.chain.rpc, pollMs: 5 };
  const pay = (token: "native" | "usdc") => payWithToken({ ...options, token, missingMs: 50 } as PayOptions);
  const counts = async (method = SEND) => ({ prompts: proxy.count(method), paid: await tools.paid(payer.address) });
  return { tools, payer, proxy, client, pay, counts };
}

/** Sends what it is requested to send, and loses its first answer. */
const loseFirst = (method: string, lose: () => unknown) => async (call: RpcCall) => {
  const result = await call.forward();
  return call.method === method && call.nth === 0 ? lose() : result;
};

describe("a wallet that sends and loses its answer", () => {
  test.each(losses)("pays once: %s", async (_, lose) => {
    const { pay, counts } = await setUp(loseFirst(SEND, lose));
    const error = (await failure(pay("native"))) as UnfinishedPayment;
    expect(error.code).toBe("PAYMENT_UNKNOWN");
    await error.resume();
    expect(await counts()).toEqual({ prompts: 1, paid: 1 });
  });

  test.each(losses)("approves once: %s", async (_, lose) => {
    const { pay, counts } = await setUp(loseFirst(SEND, lose));
    const error = (await failure(pay("usdc"))) as UnfinishedPayment;
    expect([error.code, await counts()]).toEqual(["PAYMENT_UNKNOWN", { prompts: 1, paid: 0 }]);
    await error.resume();
    expect(await counts()).toEqual({ prompts: 2, paid: 1 });
  });

  test("is not replaced by the next wallet of a fallback", async () => {
    const toTransport = ({ url }: RpcProxy) => fallback([fallback([http(url), http(url)]), http(url)]);
    const { pay, counts } = await setUp(
      loseFirst(SEND, () => reject(new Broken())),
      toTransport,
    );
    const error = (await failure(pay("native"))) as UnfinishedPayment;
    await error.resume();
    expect(await counts()).toEqual({ prompts: 1, paid: 1 });
  });

  test("is not replaced by the next one, if the signer is the fallback itself", async () => {
    const { tools, payer, proxy, counts } = await setUp(async (call) => {
      if (call.method === "eth_requestAccounts") return [payer.address];
      return loseFirst(SEND, () => reject(new Broken()))(call);
    });
    const { transport } = createWalletClient({ transport: fallback([http(proxy.url), http(proxy.url)]) });
    const { network } = tools;
    const options = { network, amount: 1000n, signer: transport, rpc: tools.chain.rpc, pollMs: 5, missingMs: 50 };
    const error = (await failure(payWithToken({ ...options, token: "native" } as PayOptions))) as UnfinishedPayment;
    await error.resume();
    expect(await counts()).toEqual({ prompts: 1, paid: 1 });
  });

  test("makes its calls once", async () => {
    let wallet: ReturnType<typeof createCallsWallet> | undefined;
    const { tools, payer, pay, counts } = await setUp(async ({ method, params, forward }) => {
      if (!method.startsWith("wallet_")) return forward();
      const response = await wallet?.request({ method, params });
      return method === CALLS ? reject(new NodeError(-32_603, "lost")) : response;
    });
    await toSmartAccount(tools, payer);
    wallet = createCallsWallet(tools, payer, { atomic: "supported", calls: "at once" });
    const error = (await failure(pay("usdc"))) as UnfinishedPayment;
    expect(error.code).toBe("PAYMENT_UNKNOWN");
    await error.resume();
    expect(await counts(CALLS)).toEqual({ prompts: 1, paid: 1 });
  });
});

test.each([{ exclude: [SEND] }, { include: ["eth_chainId"] }])(
  "a fallback sends by the first of its wallets that takes the method: not by one with %j",
  async (methods) => {
    const unreachable = http("http://127.0.0.1:1", { methods });
    const { pay, counts } = await setUp(
      ({ forward }) => forward(),
      ({ url }) => fallback([http(url, { methods }), fallback([unreachable, http(url)])]),
    );
    await pay("native");
    expect(await counts()).toEqual({ prompts: 1, paid: 1 });
  },
);

test.each(losses.filter(([name]) => !name.includes("time")))(
  "a wallet is asked for its accounts once: %s",
  async (_, lose) => {
    const { tools, proxy } = await setUp(async ({ method, forward }) =>
      method === "eth_accounts" ? lose() : forward(),
    );
    const signer = createWalletClient({ transport: http(proxy.url) });
    const { network } = tools;
    await failure(estimatePayment({ network, token: "native", amount: 1000n, signer } as never));
    expect(proxy.count("eth_accounts")).toBe(1);
  },
);

test.each(losses)("a wallet that fails to switch chains is prompted once: %s", async (_, lose) => {
  const { pay, counts } = await setUp(async ({ method, forward }) => {
    if (method === "eth_chainId") return "0x1";
    return method === SWITCH ? lose() : forward();
  });
  expect((await failure(pay("native"))).code).toBe("WRONG_CHAIN");
  expect(await counts(SWITCH)).toEqual({ prompts: 1, paid: 0 });
});

test.each(losses)("a wallet that fails to sign a message is prompted once: %s", async (_, lose) => {
  const { tools, payer, proxy, client } = await setUp(async ({ method, forward }) => {
    if (method === "eth_accounts") return [payer.address];
    return method === "personal_sign" ? lose() : forward();
  });
  await failure(createApiKey({ endpoints: tools.devnet.endpoints, signer: client }));
  expect(proxy.count("personal_sign")).toBe(1);
});

test("a provider that is no client of viem receives nothing beside the request", async () => {
  const { tools, payer } = await setUp(({ forward }) => forward());
  const account = privateKeyToAccount(payer.privateKey as `0x${string}`);
  const passed: unknown[][] = [];
  const request = async (...all: [{ method: string; params?: readonly unknown[] }]) => {
    passed.push(all);
    const [{ method, params }] = all;
    if (method !== "personal_sign") return [account.address];
    return account.signMessage({ message: { raw: params?.[0] as `0x${string}` } });
  };
  await createApiKey({ endpoints: tools.devnet.endpoints, signer: { request } });
  expect(passed.map(({ length }) => length)).toEqual(passed.map(() => 1));
  const client = createWalletClient({ account: account.address, transport: custom({ request }) });
  await createApiKey({ endpoints: tools.devnet.endpoints, signer: client });
});
