import { expect, test } from "vitest";
import type { PaymentToken } from "../../src/base/config/networks.ts";
import { UnfinishedError } from "../../src/base/errors/unfinished.ts";
import type { PayOptions, UnfinishedPayment } from "../../src/payment/index.ts";
import { payWithToken } from "../../src/payment/pay.ts";
import { failure } from "../support/failure.ts";
import { chainForTests, withRpc } from "./chain-tools.ts";
import { createRpcProxy, Reply, type RpcCall } from "./rpc-proxy.ts";

const chain = chainForTests();
const RECEIPT = "eth_getTransactionReceipt";
const SEND = "eth_sendRawTransaction";

/** A payer, a node that responds as `handler` decides, and a payment of 1000 units through it. */
async function setUp(token: PaymentToken, handler: (call: RpcCall) => Promise<unknown>) {
  const tools = chain();
  const payer = await tools.payer(token);
  const proxy = await createRpcProxy(tools.chain.rpc, handler);
  const pay = (options: Partial<PayOptions> = {}) =>
    payWithToken({
      network: withRpc(tools.network, proxy.url),
      token,
      amount: 1000n,
      privateKey: payer.privateKey,
      pollMs: 10,
      ...options,
    } as PayOptions);
  return { tools, payer, proxy, pay };
}

/** A node that changes the receipts of mined transactions. */
const changeReceipts =
  (change: (receipt: object) => object) =>
  async ({ method, forward }: RpcCall): Promise<unknown> => {
    const result = (await forward()) as object | null;
    return method === RECEIPT && result ? change(result) : result;
  };

test("a null error beside a result is none", async () => {
  const { tools, payer, pay } = await setUp("native", async ({ forward }) => {
    throw new Reply({ result: await forward(), error: null });
  });
  await pay();
  expect(await tools.paid(payer.address)).toBe(1);
});

test.each([{ id: 0 }, { id: "1" }, { id: 0, result: undefined, error: { code: -32_000, message: "another's" } }])(
  "the response to another request is refused: %j",
  async (fields) => {
    const { tools, payer, pay } = await setUp("native", async ({ forward }) => {
      throw new Reply({ result: await forward(), ...fields });
    });
    const error = await failure(pay());
    expect([error.code, error.details["method"]]).toEqual(["INVALID_RESPONSE", "eth_chainId"]);
    expect(await tools.paid(payer.address)).toBe(0);
  },
);

test("a receipt without fees counts as free", async () => {
  const missing = { effectiveGasPrice: null, gasUsed: null, l1Fee: null };
  const { tools, payer, pay } = await setUp(
    "native",
    changeReceipts((receipt) => ({ ...receipt, ...missing })),
  );
  expect((await pay()).fee).toBe(0n);
  expect(await tools.paid(payer.address)).toBe(1);
});

test("a receipt without a status counts as mined if the transaction has events", async () => {
  const { tools, payer, pay } = await setUp(
    "usdc",
    changeReceipts((receipt) => ({ ...receipt, status: null })),
  );
  expect((await pay()).event?.amount).toBe(1000n);
  expect(await tools.paid(payer.address)).toBe(1);
});

test("balances of a later block are read again before a payment counts as unclear", async () => {
  let reads = 0;
  const { tools, payer, pay } = await setUp("usdc", async ({ method, params, forward }) => {
    const result = await forward();
    // The contract's balance at the payment's own block.
    const isAtBlock = method === "eth_call" && /^0x/.test(String(params[1])) && params.length === 2;
    if (!isAtBlock || ++reads > 1) return result;
    return `0x${(BigInt(String(result)) + 1000n).toString(16).padStart(64, "0")}`;
  });
  const payment = await pay();
  expect([payment.amount, await tools.paid(payer.address), reads]).toEqual([1000n, 1, 4]);
});

test.each([
  ["without a status and without events", { status: null, logs: [] }, "PAYMENT_TIMEOUT", 300],
  ["of another transaction", { transactionHash: `0x${"12".repeat(32)}` }, "INVALID_RESPONSE", 30_000],
])("a receipt %s never counts as paid, and resume finds the payment", async (_, change, code, waitMs) => {
  const { tools, payer, proxy, pay } = await setUp(
    "native",
    changeReceipts((receipt) => ({ ...receipt, ...change })),
  );
  const error = await failure(pay({ waitMs, missingMs: 100 }));
  expect([error.code, error instanceof UnfinishedError]).toEqual([code, true]);
  proxy.handle();
  const payment = await (error as UnfinishedPayment).resume();
  expect([payment.hash, proxy.count(SEND)]).toEqual([error.details["hash"], 1]);
  expect(await tools.paid(payer.address)).toBe(1);
});
