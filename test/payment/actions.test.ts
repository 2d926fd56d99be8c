import { afterEach, describe, expect, test } from "vitest";
import { isUnfinished } from "../../src/base/errors/unfinished.ts";
import type { PayOptions, ResumePaymentOptions, UnfinishedPayment } from "../../src/payment/index.ts";
import { payWithToken } from "../../src/payment/pay.ts";
import { failure } from "../support/failure.ts";
import { chainForTests, waitUntilMined } from "./chain-tools.ts";
import { Broken, createRpcProxy, type RpcCall } from "./rpc-proxy.ts";
import type { WalletRequest } from "./smart-account.ts";

const chain = chainForTests();
const SEND = "eth_sendRawTransaction";
const BY_HASH = "eth_getTransactionByHash";

afterEach(async () => {
  await chain().rpc("evm_setAutomine", true);
  await chain().rpc("anvil_mine", "0x1");
});

async function setUp(handler?: (call: RpcCall) => Promise<unknown>) {
  const tools = chain();
  const payer = await tools.payer("native");
  const proxy = await createRpcProxy(tools.chain.rpc, handler);
  const pay = (options: Partial<PayOptions> = {}) =>
    payWithToken({
      network: tools.network,
      rpc: proxy.url,
      token: "native",
      amount: 1000n,
      privateKey: payer.privateKey,
      pollMs: 5,
      missingMs: 50,
      ...options,
    } as PayOptions);
  const payUnfinished = async (options: Partial<PayOptions> = {}) => {
    const error = await failure(pay(options));
    expect(isUnfinished(error)).toBe(true);
    return error as UnfinishedPayment;
  };
  /** A payment that stays pending. */
  const payPending = async (options: Partial<PayOptions> = {}) => {
    await tools.rpc("evm_setAutomine", false);
    const error = await payUnfinished({ waitMs: 30, ...options });
    expect(error.code).toBe("PAYMENT_TIMEOUT");
    return error;
  };
  return { tools, payer, proxy, pay, payUnfinished, payPending };
}

type Fees = Record<"maxFeePerGas" | "maxPriorityFeePerGas", string>;

/** Expects both fees to be a tenth higher at least: nodes refuse less to replace a transaction, except anvil. */
function expectReplaces(old: Fees, raised: Fees): void {
  for (const fee of ["maxFeePerGas", "maxPriorityFeePerGas"] as const)
    expect(BigInt(raised[fee]) * 10n, fee).toBeGreaterThanOrEqual(BigInt(old[fee]) * 11n);
}

/** Mines a block as soon as a transaction with another hash is pending. */
async function mineWhenReplaced({ rpc }: ReturnType<typeof chain>, address: string, hash: unknown): Promise<string> {
  for (;;) {
    const block = await rpc<{ transactions: { from: string; hash: string }[] }>(
      "eth_getBlockByNumber",
      "pending",
      true,
    );
    const other = block.transactions.find(({ from }) => from.toLowerCase() === address);
    if (other && other.hash !== hash) {
      await rpc("anvil_mine", "0x1");
      return other.hash;
    }
  }
}

describe("speed-up", () => {
  test("signs the transaction again with higher fees, at the same nonce", async () => {
    const { tools, payer, payPending } = await setUp();
    const error = await payPending();
    const first = await tools.rpc<Fees>(BY_HASH, error.details["hash"]);
    const mining = mineWhenReplaced(tools, payer.address, error.details["hash"]);
    const changes: ResumePaymentOptions = { action: "speed-up", waitMs: 60_000 };
    const resumed = error.resume(changes);
    // What is changed now comes too late.
    changes.action = "cancel";
    const { hash } = await resumed;
    expectReplaces(first, await tools.rpc(BY_HASH, hash));
    expect([hash, hash === error.details["hash"]]).toEqual([await mining, false]);
    expect(await tools.paid(payer.address)).toBe(1);
  });

  test("whose transaction is lost: the first one is mined, and found", async () => {
    const { tools, payer, proxy, payPending } = await setUp();
    const error = await payPending();
    proxy.handle(async ({ method, forward }) => {
      if (method !== SEND) return forward();
      await tools.rpc("anvil_mine", "0x1");
      throw new Broken();
    });
    const { hash } = await error.resume({ action: "speed-up", waitMs: 60_000 });
    expect(hash).toBe(error.details["hash"]);
    expect(await tools.paid(payer.address)).toBe(1);
  });

  test("of a transaction that is mined by now returns the payment", async () => {
    const { tools, payer, proxy, payPending } = await setUp();
    const error = await payPending();
    await tools.rpc("anvil_mine", "0x1");
    expect((await error.resume({ action: "speed-up" })).hash).toBe(error.details["hash"]);
    expect(proxy.count(SEND)).toBe(1);
    expect(await tools.paid(payer.address)).toBe(1);
  });

  test("above maxFee is refused, and the payment stays as it is", async () => {
    const { tools, payer, payPending } = await setUp();
    const error = await payPending();
    expect((await failure(error.resume({ action: "speed-up", maxFee: 1n }))).code).toBe("FEE_TOO_HIGH");
    await tools.rpc("anvil_mine", "0x1");
    expect((await error.resume()).hash).toBe(error.details["hash"]);
    expect(await tools.paid(payer.address)).toBe(1);
  });
});

describe("cancel", () => {
  test("takes the transaction's nonce; the order is paid again once that is final, by another call", async () => {
    const { tools, payer, pay, payPending } = await setUp();
    const orderId = "cancelled";
    const error = await payPending({ orderId });
    const first = await tools.rpc<Fees>(BY_HASH, error.details["hash"]);
    const mining = mineWhenReplaced(tools, payer.address, error.details["hash"]);
    const cancelled = await failure(error.resume({ action: "cancel", waitMs: 60_000 }));
    expect([cancelled.code, cancelled.details["cancelHash"]]).toEqual(["PAYMENT_CANCELLED", await mining]);
    expectReplaces(first, await tools.rpc(BY_HASH, await mining));
    expect((await failure(error.resume({ waitMs: 60_000 }))).code).toBe("PAYMENT_CANCELLED");
    await tools.rpc("evm_setAutomine", true);
    expect(await tools.paid(payer.address)).toBe(0);
    await tools.rpc("anvil_mine", "0x41");
    expect((await pay({ orderId })).amount).toBe(1000n);
    expect(await tools.paid(payer.address)).toBe(1);
  });

  test("of a transaction that is mined first returns the payment", async () => {
    const { tools, payer, proxy, payPending } = await setUp();
    const error = await payPending();
    proxy.handle(async ({ method, forward }) => {
      if (method === SEND) await tools.rpc("anvil_mine", "0x1");
      return forward();
    });
    expect((await error.resume({ action: "cancel" })).hash).toBe(error.details["hash"]);
    expect(await tools.paid(payer.address)).toBe(1);
  });
});

describe("give-up", () => {
  /** A payer whose wallet responds to requests to send as `send` says. */
  async function setUpWallet(send: (nth: number, forward: (fields?: object) => Promise<string>) => Promise<unknown>) {
    const { tools, payer, pay, payUnfinished } = await setUp();
    await tools.rpc("anvil_impersonateAccount", payer.address);
    let requests = 0;
    const request = async ({ method, params = [] }: WalletRequest): Promise<unknown> => {
      if (method === "eth_requestAccounts") return [payer.address];
      const [first, ...others] = params as unknown[];
      const all = (fields?: object) =>
        fields ? [{ ...(first as object), ...fields }, ...others] : (params as unknown[]);
      const forward = (fields?: object) => tools.rpc<string>(method, ...all(fields));
      return method === "eth_sendTransaction" ? send(requests++, forward) : forward();
    };
    const options = { signer: { request }, privateKey: undefined } as Partial<PayOptions>;
    return {
      tools,
      payer,
      pay: () => pay(options),
      payUnfinished: () => payUnfinished(options),
      requests: () => requests,
    };
  }

  const lost = () => Promise.reject(new Error("lost connection"));

  test("requests the wallet again", async () => {
    const { tools, payer, payUnfinished, requests } = await setUpWallet((nth, forward) =>
      nth > 0 ? forward() : lost(),
    );
    const error = await payUnfinished();
    expect(error.code).toBe("PAYMENT_UNKNOWN");
    const payment = await error.resume({ action: "give-up" });
    expect([payment.duplicates, requests(), await tools.paid(payer.address)]).toEqual([undefined, 2, 1]);
  });

  test("of a payment that the wallet did send returns it", async () => {
    const { tools, payer, payUnfinished, requests } = await setUpWallet(async (_, forward) => {
      await waitUntilMined(chain(), await forward());
      return lost();
    });
    const error = await payUnfinished();
    await error.resume({ action: "give-up" });
    expect([requests(), await tools.paid(payer.address)]).toEqual([1, 1]);
  });

  test("of a dropped transaction that the wallet sends again unchanged pays once", async () => {
    const { rpc } = chain();
    const { tools, payer, payUnfinished, requests } = await setUpWallet(async (nth, forward) => {
      if (nth === 0) await rpc("evm_setAutomine", false);
      const hash = await forward({ gas: "0x30d40", maxFeePerGas: "0x174876e800", maxPriorityFeePerGas: "0x1" });
      if (nth === 0) await rpc("anvil_dropTransaction", hash);
      await rpc("evm_setAutomine", true);
      await rpc("anvil_mine", "0x5");
      return hash;
    });
    const error = await payUnfinished();
    expect(error.code).toBe("PAYMENT_DROPPED");
    const payment = await error.resume({ action: "give-up" });
    expect(payment).toMatchObject({ hash: error.details["hash"] });
    expect([payment.duplicates, requests(), await tools.paid(payer.address)]).toEqual([undefined, 2, 1]);
  });

  test("of a payment that the wallet sends later reports both", async () => {
    let late: () => Promise<string> = lost;
    const { tools, payer, payUnfinished } = await setUpWallet(async (nth, forward) => {
      if (nth === 0) {
        late = forward;
        return lost();
      }
      const hash = await late();
      await waitUntilMined(chain(), hash);
      return forward();
    });
    const error = await payUnfinished();
    const payment = await error.resume({ action: "give-up" });
    expect(payment.duplicates).toHaveLength(1);
    expect(payment.duplicates).not.toContain(payment.hash);
    expect(await tools.paid(payer.address)).toBe(2);
  });
});

test("actions that are unknown, or not the kit's, are refused", async () => {
  const { tools, payer, payPending } = await setUp();
  const error = await payPending();
  for (const action of ["stop", "give-up"]) {
    const refused = await failure(error.resume({ action } as object));
    expect([refused.code, refused.details["option"]]).toEqual(["INVALID_OPTION", "action"]);
  }
  const signer = {
    request: async ({ method, params = [] }: WalletRequest) =>
      method === "eth_requestAccounts" ? [payer.address] : tools.rpc(method, ...(params as unknown[])),
  };
  const refused = await failure(error.resume({ action: "cancel", signer }));
  expect([refused.code, refused.details["option"]]).toEqual(["INVALID_OPTION", "action"]);
  await tools.rpc("anvil_mine", "0x1");
  expect((await error.resume()).hash).toBe(error.details["hash"]);
});
