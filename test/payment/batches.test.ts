import { describe, expect, test } from "vitest";
import { isUnfinished } from "../../src/base/errors/unfinished.ts";
import type { PayOptions, UnfinishedPayment } from "../../src/payment/index.ts";
import { payWithToken } from "../../src/payment/pay.ts";
import { openJournal } from "../../src/storage/resume/open-journal.ts";
import { failure } from "../support/failure.ts";
import { approveDirectly, chainForTests } from "./chain-tools.ts";
import { createFolder } from "./child-rig.ts";
import { createRpcProxy, NodeError } from "./rpc-proxy.ts";
import { type CallsBehaviour, createCallsWallet, type SmartCall, toSmartAccount } from "./smart-account.ts";

const chain = chainForTests();
const AMOUNT = 1000n;
const CALLS = "wallet_sendCalls";
const SEND = "eth_sendTransaction";

async function setUp(behaviour: Partial<CallsBehaviour> = {}) {
  const tools = chain();
  const payer = await tools.payer();
  await toSmartAccount(tools, payer);
  const wallet = createCallsWallet(tools, payer, { atomic: "supported", calls: "at once", ...behaviour });
  const { request } = wallet;
  const pay = (options: Partial<PayOptions> = {}) =>
    payWithToken({
      network: tools.network,
      token: "usdc",
      amount: AMOUNT,
      signer: { request },
      rpc: tools.chain.rpc,
      pollMs: 5,
      missingMs: 50,
      ...options,
    } as PayOptions);
  const payUnfinished = async (options: Partial<PayOptions> = {}) => {
    const error = await failure(pay(options));
    expect([error.code, isUnfinished(error)]).toEqual([error.code, true]);
    return error as UnfinishedPayment;
  };
  return { tools, payer, wallet, pay, payUnfinished, paid: () => tools.paid(payer.address) };
}

const listCalls = (params: unknown[] = []): SmartCall[] => (params[0] as { calls: SmartCall[] }).calls;

describe("a wallet that makes several calls in one transaction", () => {
  test.each(["supported", "ready"] as const)("approves and pays in one window (%s)", async (atomic) => {
    const { tools, payer, wallet, pay, paid } = await setUp({ atomic });
    const payment = await pay();
    expect(payment).toMatchObject({ from: payer.address, event: { amount: AMOUNT } });
    expect(payment.transactions.map(({ step }) => step)).toEqual(["pay"]);
    expect([wallet.methods(), await paid(), await tools.allowance("usdc", payer.address)]).toEqual([[CALLS], 1, 0n]);
    expect(wallet.requests[0]?.params).toMatchObject([
      { version: "2.0.0", from: payer.address, chainId: "0x7a69", atomicRequired: true },
    ]);
  });

  test("resets an allowance first if the token requires it", async () => {
    const { tools, payer, wallet, pay, paid } = await setUp();
    await tools.rpc("anvil_impersonateAccount", payer.address);
    await tools.rpc("anvil_setCode", payer.address, "0x");
    await approveDirectly(tools, payer, "usdt", 1n);
    await toSmartAccount(tools, payer);
    await pay({ token: "usdt" });
    expect(listCalls(wallet.requests[0]?.params)).toHaveLength(3);
    expect([wallet.methods(), await paid()]).toEqual([[CALLS], 1]);
  });

  test("pays coins, and what is approved already, by a transaction", async () => {
    const { wallet, pay, paid } = await setUp();
    await pay({ token: "native" });
    expect([wallet.methods(), await paid()]).toEqual([[SEND], 1]);
  });

  test.each([4200, -32_601, -32_602, 5710, 5750, 5760])(
    "and refuses to with code %i sends them one after the other",
    async (refusal) => {
      const { wallet, pay, paid } = await setUp({ refusal });
      const payment = await pay();
      expect(payment.transactions.map(({ step }) => step)).toEqual(["approve", "pay"]);
      expect([wallet.methods(), await paid()]).toEqual([[CALLS, SEND, SEND], 1]);
    },
  );

  test("and does not say so sends them one after the other", async () => {
    const { wallet, pay, paid } = await setUp({ atomic: "unsupported" });
    await pay();
    expect([wallet.methods(), await paid()]).toEqual([[SEND, SEND], 1]);
  });

  test("whose user rejects has paid nothing, and is asked again by the next call", async () => {
    const { wallet, pay, paid } = await setUp({ refusal: 4001 });
    const error = await failure(pay());
    expect([error.code, isUnfinished(error)]).toEqual(["PAYMENT_REJECTED", false]);
    wallet.behaviour.refusal = undefined;
    await pay();
    expect([wallet.methods(), await paid()]).toEqual([[CALLS, CALLS], 1]);
  });

  test("is not asked for a token that would transfer less", async () => {
    const { tools, wallet, pay } = await setUp();
    const network = tools.withToken(tools.chain.faultyTokens.feeTaking);
    const error = await failure(pay({ network }));
    expect([error.code, isUnfinished(error), wallet.methods()]).toEqual(["PAYMENT_UNDERPAID", false, []]);
  });

  test("pays also by a node that cannot simulate", async () => {
    const { tools, wallet, pay, paid } = await setUp();
    const proxy = await createRpcProxy(tools.chain.rpc, async ({ method, forward }) => {
      if (method === "eth_simulateV1") throw new NodeError(-32_601, "the method does not exist");
      return forward();
    });
    await pay({ rpc: proxy.url });
    expect([wallet.methods(), await paid()]).toEqual([[CALLS], 1]);
  });

  test("above maxFee is not requested", async () => {
    const { wallet, pay } = await setUp();
    expect((await failure(pay({ maxFee: 1n }))).code).toBe("FEE_TOO_HIGH");
    expect(wallet.methods()).toEqual([]);
  });
});

describe("calls whose outcome is open", () => {
  test.each([{ hasOwnIds: false }, { hasOwnIds: true }])(
    "are resumed by their id, from the journal (the wallet's own: $hasOwnIds)",
    async ({ hasOwnIds }) => {
      const { wallet, pay, payUnfinished, paid } = await setUp({ calls: "later", hasOwnIds });
      const journal = await openJournal({ folder: await createFolder() });
      const order = { orderId: "order", journal };
      expect((await payUnfinished({ ...order, waitMs: 30 })).code).toBe("PAYMENT_TIMEOUT");
      await wallet.carryOut();
      const [payment, again] = await Promise.all([pay(order), pay(order)]);
      expect(again.hash).toBe(payment.hash);
      expect([wallet.methods(), await paid()]).toEqual([[CALLS], 1]);
    },
  );

  test("because the wallet's response was lost are found by their id", async () => {
    const { wallet, payUnfinished, pay, paid } = await setUp({ losesResponse: true });
    const error = await payUnfinished({ orderId: "lost" });
    expect(error.code).toBe("PAYMENT_UNKNOWN");
    await error.resume();
    await pay({ orderId: "lost" });
    expect([wallet.methods(), await paid()]).toEqual([[CALLS], 1]);
  });

  test("and that the wallet has forgotten are found by the order's mark", async () => {
    const { wallet, payUnfinished, paid } = await setUp({ calls: "later", isForgetful: true });
    const error = await payUnfinished({ orderId: "forgotten" });
    expect(error.code).toBe("PAYMENT_UNKNOWN");
    expect((await failure(error.resume())).code).toBe("PAYMENT_UNKNOWN");
    await wallet.carryOut();
    expect((await error.resume()).event?.amount).toBe(AMOUNT);
    expect([wallet.methods(), await paid()]).toEqual([[CALLS], 1]);
  });

  test("that the wallet gave up have paid nothing, and are requested again", async () => {
    const { wallet, pay, paid } = await setUp({ calls: "later", status: 400 });
    const error = await failure(pay());
    expect([error.code, isUnfinished(error)]).toEqual(["PAYMENT_REJECTED", false]);
    wallet.forget();
    Object.assign(wallet.behaviour, { calls: "at once", status: undefined });
    await pay();
    expect([wallet.methods(), await paid()]).toEqual([[CALLS, CALLS], 1]);
  });

  test("that failed within a transaction are reverted, and made again once that is final", async () => {
    const { tools, wallet, pay, paid } = await setUp({ calls: "failing" });
    const order = { orderId: "failing" };
    const error = await failure(pay(order));
    expect([error.code, isUnfinished(error)]).toEqual(["PAYMENT_REVERTED", true]);
    Object.assign(wallet.behaviour, { calls: "at once" });
    await tools.rpc("anvil_mine", "0x41");
    await pay(order);
    expect([wallet.methods(), await paid()]).toEqual([[CALLS, CALLS], 1]);
  });
});
