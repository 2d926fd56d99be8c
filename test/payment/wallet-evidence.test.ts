import { id } from "ethers";
import { describe, expect, test } from "vitest";
import type { PaymentToken } from "../../src/base/config/networks.ts";
import { isUnfinished } from "../../src/base/errors/unfinished.ts";
import type { PayOptions, UnfinishedPayment } from "../../src/payment/index.ts";
import { payWithToken } from "../../src/payment/pay.ts";
import { failure } from "../support/failure.ts";
import { approveDirectly, chainForTests, type Payer, type TestChain, waitUntilMined } from "./chain-tools.ts";
import { createRpcProxy, forwardTo } from "./rpc-proxy.ts";
import { createSmartWallet, type SmartCall, sendBundle, toSmartAccount, type WalletRequest } from "./smart-account.ts";

const chain = chainForTests();
const AMOUNT = 1000n;
const passOn = id("transferToEndowment(address,uint256)").slice(0, 10);

/** A payer whose wallet sends as `send` says, and does everything else on the chain. */
async function setUp(send: (call: SmartCall, tools: TestChain, payer: Payer) => Promise<unknown>) {
  const tools = chain();
  const payer = await tools.payer();
  await tools.rpc("anvil_impersonateAccount", payer.address);
  const request = async ({ method, params = [] }: WalletRequest): Promise<unknown> => {
    if (method === "eth_requestAccounts") return [payer.address];
    if (method === "eth_sendTransaction") return send((params as [SmartCall])[0], tools, payer);
    return tools.rpc(method, ...(params as unknown[]));
  };
  return { tools, payer, ...payerCalls(tools, { request }) };
}

function payerCalls({ network }: TestChain, signer: PayOptions["signer"]) {
  const pay = (token: PaymentToken, options: Partial<PayOptions> = {}) =>
    payWithToken({
      network,
      token,
      amount: AMOUNT,
      signer,
      pollMs: 5,
      missingMs: 50,
      timeoutMs: 5_000,
      ...options,
    } as PayOptions);
  const payUnfinished = async (token: PaymentToken, options: Partial<PayOptions> = {}) => {
    const error = await failure(pay(token, options));
    expect([error.code, isUnfinished(error)]).toEqual([error.code, true]);
    return error as UnfinishedPayment;
  };
  return { pay, payUnfinished };
}

/** Sends what a wallet was requested to send, from the payer itself. */
const sendAsPayer = async (tools: TestChain, from: string, call: SmartCall): Promise<string> => {
  const hash = await tools.rpc<string>("eth_sendTransaction", {
    from,
    to: call.to,
    data: call.data,
    value: call.value,
  });
  await waitUntilMined(tools, hash);
  return hash;
};

describe("a wallet that reports another transaction", () => {
  test("of a stranger: not paid, until the payment itself is found", async () => {
    let requested: SmartCall | undefined;
    const { tools, payer, payUnfinished } = await setUp(async (call, { rpc, network }) => {
      requested = call;
      const [stranger] = await rpc<string[]>("eth_accounts");
      return sendAsPayer(chain(), stranger ?? "", { to: network.contract, value: "0x1" });
    });
    const error = await payUnfinished("native");
    expect([error.code, error.details["paidBy"]]).toEqual(["PAYMENT_MISMATCH", undefined]);
    expect((await failure(error.resume())).code).toBe("PAYMENT_MISMATCH");
    const hash = await sendAsPayer(tools, payer.address, requested as SmartCall);
    expect(await error.resume()).toMatchObject({ hash, from: payer.address });
    expect(await tools.paid(payer.address)).toBe(1);
  });

  test("that reverted: the payment is not reported as reverted", async () => {
    const { tools, payer, payUnfinished } = await setUp(async (_, { rpc, network }) => {
      const [stranger] = await rpc<string[]>("eth_accounts");
      const data = "0x12345678";
      const fields = { from: stranger, to: network.tokens.usdc?.address, data, gas: "0x186a0" };
      const hash = await rpc<string>("eth_sendTransaction", fields);
      await waitUntilMined(chain(), hash);
      return hash;
    });
    expect((await payUnfinished("native")).code).toBe("PAYMENT_MISMATCH");
    expect(await tools.paid(payer.address)).toBe(0);
  });

  test.each(["native", "usdc"] as const)(
    "of an account that the user switched to: reported with it (%s)",
    async (token) => {
      const other = await chain().payer();
      await chain().rpc("anvil_impersonateAccount", other.address);
      const { tools, payer, payUnfinished } = await setUp(async (call, current, { address }) => {
        if (call.to.toLowerCase() !== current.network.contract.toLowerCase())
          return sendAsPayer(current, address, call);
        // The wallet knows nothing of the kit's account: it also approved for the other one.
        const { allowance, network } = current;
        if (token === "usdc" && (await allowance(token, other.address)) === 0n) {
          const approval = `0x095ea7b3${network.contract.slice(2).toLowerCase().padStart(64, "0")}${"f".repeat(64)}`;
          await sendAsPayer(current, other.address, { to: network.tokens.usdc?.address ?? "", data: approval });
        }
        return sendAsPayer(current, other.address, call);
      });
      const error = await payUnfinished(token);
      expect([error.code, error.details["paidBy"]]).toEqual(["PAYMENT_MISMATCH", other.address]);
      expect([await tools.paid(payer.address), await tools.paid(other.address)]).toEqual([0, 1]);
    },
  );
});

describe("a smart account", () => {
  test("whose wallet returns no hash of the chain pays once: the mark shows the payment", async () => {
    const tools = chain();
    const payer = await tools.payer();
    await toSmartAccount(tools, payer);
    // Someone else pays its gas.
    await tools.rpc("anvil_setBalance", payer.address, "0x0");
    const wallet = createSmartWallet(tools, payer);
    const { pay } = payerCalls(tools, wallet);
    const payment = await pay("usdc", { orderId: "first of a smart account" });
    expect(payment).toMatchObject({ from: payer.address, event: { sender: payer.address, amount: AMOUNT } });
    expect(await tools.paid(payer.address)).toBe(1);
    const again = await pay("usdc", { orderId: "second of a smart account" });
    expect(again.hash).not.toBe(payment.hash);
    expect(await tools.paid(payer.address)).toBe(2);
  });

  test("whose wallet returns no hash of the chain, without a mark: unknown, and nothing is taken for the payment", async () => {
    const tools = chain();
    const payer = await tools.payer();
    await toSmartAccount(tools, payer);
    const wallet = createSmartWallet(tools, payer);
    const error = await payerCalls(tools, wallet).payUnfinished("native", { orderId: "coins of a smart account" });
    expect([error.code, await tools.paid(payer.address)]).toEqual(["PAYMENT_DROPPED", 1]);
    const { pay } = payerCalls(tools, wallet);
    expect((await failure(pay("native", { orderId: "coins of a smart account" }))).code).toBe("PAYMENT_DROPPED");
    expect(await tools.paid(payer.address)).toBe(1);
  });

  test("without the amount cannot pay", async () => {
    const tools = chain();
    const payer = await tools.payer("native");
    await toSmartAccount(tools, payer);
    await tools.rpc("anvil_setBalance", payer.address, "0x1");
    const error = await failure(payerCalls(tools, createSmartWallet(tools, payer)).pay("native"));
    expect(error.code).toBe("INSUFFICIENT_FUNDS");
  });

  test("whose bundle succeeds although the payment in it failed has not paid", async () => {
    let requested: SmartCall | undefined;
    const { tools, payer, payUnfinished } = await setUp(async (call, current, { address }) => {
      requested = call;
      const hash = await sendBundle(current, address, [{ ...call, value: `0x${"f".repeat(30)}` }]);
      await waitUntilMined(current, hash);
      return hash;
    });
    await approveDirectly(tools, payer, "usdc", AMOUNT);
    await toSmartAccount(tools, payer);
    const error = await payUnfinished("usdc", { orderId: "a bundle that fails" });
    expect(error.code).toBe("PAYMENT_MISMATCH");
    expect(await tools.paid(payer.address)).toBe(0);
    const hash = await sendBundle(tools, payer.address, [requested as SmartCall]);
    await waitUntilMined(tools, hash);
    expect((await error.resume()).hash).toBe(hash);
    expect(await tools.paid(payer.address)).toBe(1);
  });

  test("pays coins to a contract without events: the balances show it", async () => {
    const tools = chain();
    const payer = await tools.payer("native");
    await toSmartAccount(tools, payer);
    const request = async ({ method, params = [] }: WalletRequest): Promise<unknown> => {
      if (method === "eth_requestAccounts") return [payer.address];
      if (method === "eth_sendTransaction") return sendBundle(tools, payer.address, params as SmartCall[]);
      const result = await tools.rpc<object | null>(method, ...(params as unknown[]));
      return method === "eth_getTransactionReceipt" && result ? { ...result, logs: [] } : result;
    };
    const payment = await payerCalls(tools, { request }).pay("native");
    expect(payment).toMatchObject({ amount: AMOUNT, from: payer.address });
    expect(payment.event).toBeUndefined();
    expect(await tools.paid(payer.address)).toBe(1);
  });

  test("on a node that refuses to search logs: unknown, until another node does", async () => {
    const tools = chain();
    const payer = await tools.payer();
    await tools.rpc("anvil_impersonateAccount", payer.address);
    await approveDirectly(tools, payer, "usdc", AMOUNT);
    await toSmartAccount(tools, payer);
    const wallet = createSmartWallet(tools, payer);
    const proxy = await createRpcProxy(tools.chain.rpc, ({ method, forward }) =>
      forward().then((result) => (method === "eth_getLogs" ? Promise.reject(new Error("no")) : result)),
    );
    const error = await payerCalls(tools, wallet).payUnfinished("usdc", {
      rpc: proxy.url,
      orderId: "unsearched",
      searchBlocks: 0,
    });
    expect(["PAYMENT_DROPPED", "NETWORK"]).toContain(error.code);
    expect((await error.resume({ rpc: tools.chain.rpc })).event?.amount).toBe(AMOUNT);
    expect(await tools.paid(payer.address)).toBe(1);
  });
});

describe("a node whose balances and events disagree", () => {
  test("by returning those of the latest block: unknown, and another node shows the payment", async () => {
    const tools = chain();
    const payer = await tools.payer();
    const proxy = await createRpcProxy(tools.chain.rpc, async ({ method, params, forward }) => {
      const isOldBalance = method === "eth_call" && JSON.stringify(params).includes("0x70a08231");
      return isOldBalance ? forwardTo(tools.chain.rpc, method, [params[0], "latest"]) : forward();
    });
    const { privateKey } = payer;
    const options = {
      network: tools.network,
      token: "usdc",
      amount: AMOUNT,
      privateKey,
      pollMs: 5,
      missingMs: 50,
    } as const;
    const error = (await failure(payWithToken({ ...options, rpc: proxy.url }))) as UnfinishedPayment;
    expect([error.code, isUnfinished(error)]).toEqual(["PAYMENT_UNKNOWN", true]);
    expect((await failure(error.resume())).code).toBe("PAYMENT_UNKNOWN");
    expect((await error.resume({ rpc: tools.chain.rpc })).amount).toBe(AMOUNT);
    expect(await tools.paid(payer.address)).toBe(1);
  });

  test("because other transfers hide the payment: the events of the block explain them", async () => {
    const tools = chain();
    const payer = await tools.payer();
    await toSmartAccount(tools, payer);
    const token = tools.network.tokens.usdc?.address ?? "";
    const mint = (to: string) => `0x40c10f19${to.slice(2).padStart(64, "0")}${AMOUNT.toString(16).padStart(64, "0")}`;
    const { request } = createSmartWallet(tools, payer);
    const signer = {
      request: async (call: WalletRequest): Promise<unknown> => {
        const [fields] = (call.params ?? []) as [SmartCall];
        const isPayment = call.method === "eth_sendTransaction" && fields.to === tools.network.contract;
        if (!isPayment) return request(call);
        // The payer receives as much as it pays, and in the same block the contract passes as much on.
        const refills = [payer.address, fields.to].map((to) => ({ to: token, data: mint(to) }));
        await waitUntilMined(tools, await sendBundle(tools, payer.address, refills.slice(1)));
        await tools.rpc("evm_setAutomine", false);
        const hash = await sendBundle(tools, payer.address, [...refills.slice(0, 1), fields]);
        const owner = await tools.owner();
        const data = `${passOn}${token.slice(2).padStart(64, "0")}${AMOUNT.toString(16).padStart(64, "0")}`;
        await tools.rpc("eth_sendTransaction", { from: owner, to: fields.to, data, gas: "0x30d40" });
        await tools.rpc("anvil_mine", "0x1");
        await tools.rpc("evm_setAutomine", true);
        await waitUntilMined(tools, hash);
        return hash;
      },
    };
    const before = await tools.balance("usdc", tools.network.contract);
    const payment = await payerCalls(tools, signer).pay("usdc");
    expect(payment.event?.amount).toBe(AMOUNT);
    // One refill and one payment came in, one amount went out.
    expect(await tools.balance("usdc", tools.network.contract)).toBe(before + AMOUNT);
    expect(await tools.paid(payer.address)).toBe(1);
  });
});
