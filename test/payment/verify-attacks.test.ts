import { AbiCoder, id, zeroPadValue } from "ethers";
import { expect, test } from "vitest";
import { type Payment, payWithToken, verifyPayment } from "../../src/index.ts";
import type { PayOptions } from "../../src/payment/index.ts";
import { failure } from "../support/failure.ts";
import { chainForTests, waitUntilMined } from "./chain-tools.ts";
import { createRpcProxy, type RpcCall } from "./rpc-proxy.ts";

const chain = chainForTests();
const noToken = `0x${"0".repeat(40)}`;
const other = `0x${"ab".repeat(20)}`;
const wrongHash = `0x${"34".repeat(32)}`;

interface RawLog {
  address: string;
  topics: string[];
  data: string;
  logIndex: string;
  transactionHash: string;
  removed?: boolean;
}
type RawReceipt = { transactionHash: string; logs: RawLog[] } & Record<string, unknown>;

async function pay(token: "native" | "usdc" = "usdc"): Promise<Payment> {
  const { privateKey } = await chain().payer(token);
  return payWithToken({ network: chain().network, token, amount: 700n, privateKey, pollMs: 5 } as PayOptions);
}

function verify({ hash, from, amount, token }: Payment, options: object = {}) {
  return verifyPayment(hash, { network: chain().network, token, sender: from, amount, ...options });
}

const readReceipt = (hash: string) => chain().rpc<RawReceipt>("eth_getTransactionReceipt", hash);

/** A node that shows other receipts, and is honest otherwise. */
async function startLiar(forge: (receipt: RawReceipt) => unknown) {
  return createRpcProxy(chain().chain.rpc, async ({ method, forward }: RpcCall) => {
    const result = await forward();
    return method === "eth_getTransactionReceipt" ? forge(result as RawReceipt) : result;
  });
}

const forgeLast = (receipt: RawReceipt, changes: Partial<RawLog>): RawReceipt => ({
  ...receipt,
  logs: receipt.logs.map((log, at) => (at === receipt.logs.length - 1 ? { ...log, ...changes } : log)),
});

test.each<[string, (receipt: RawReceipt) => unknown, string]>([
  ["of another transaction", (receipt) => ({ ...receipt, transactionHash: wrongHash }), "INVALID_RESPONSE"],
  ["without a hash", ({ transactionHash: _, ...receipt }) => receipt, "INVALID_RESPONSE"],
  ["with a log of another transaction", (it) => forgeLast(it, { transactionHash: wrongHash }), "INVALID_RESPONSE"],
  ["with a log that was removed", (receipt) => forgeLast(receipt, { removed: true }), "INVALID_RESPONSE"],
  ["with the same log twice", (it) => ({ ...it, logs: [...it.logs, it.logs.at(-1)] }), "INVALID_RESPONSE"],
  ["with a log without index", (it) => forgeLast(it, { logIndex: undefined as never }), "INVALID_RESPONSE"],
  ["that names no block", ({ blockHash: _, ...receipt }) => receipt, "INVALID_RESPONSE"],
  ["that is no object", () => "0x01", "INVALID_RESPONSE"],
  ["of a block that is in no chain", (receipt) => ({ ...receipt, blockNumber: "0xfffffff" }), "PAYMENT_UNCONFIRMED"],
  ["of a block that was reorganised", (it) => ({ ...it, blockHash: wrongHash, logs: [] }), "PAYMENT_REORGANISED"],
  ["of a failed transaction", (receipt) => ({ ...receipt, status: "0x0" }), "PAYMENT_REVERTED"],
  ["whose event is another contract's", (receipt) => forgeLast(receipt, { address: other }), "PAYMENT_MISMATCH"],
  ["whose event is another", (it) => forgeLast(it, { topics: [id("Paid(address)")] }), "PAYMENT_MISMATCH"],
  ["whose event cannot be decoded", (receipt) => forgeLast(receipt, { data: "0x00" }), "PAYMENT_MISMATCH"],
  ["whose token transferred nothing", (it) => ({ ...it, logs: it.logs.slice(-1) }), "PAYMENT_UNDERPAID"],
])("a receipt %s proves nothing", async (_, forge, code) => {
  const payment = await pay();
  const { url } = await startLiar(forge);
  expect((await failure(verify(payment, { rpc: url }))).code).toBe(code);
});

test("the honest one of two nodes proves the payment", async () => {
  const payment = await pay();
  const { url } = await startLiar((receipt) => forgeLast(receipt, { transactionHash: wrongHash }));
  expect(await verify(payment, { rpc: [url, chain().chain.rpc] })).toMatchObject({ hash: payment.hash });
});

test("a node of another chain proves nothing, even if it has the transaction", async () => {
  const payment = await pay();
  const { url } = await createRpcProxy(chain().chain.rpc, async ({ method, forward }) =>
    method === "eth_chainId" ? "0x1" : forward(),
  );
  expect((await failure(verify(payment, { rpc: url }))).code).toBe("WRONG_CHAIN");
});

test("a payment that a reorganisation removes proves nothing any more", async () => {
  const payment = await pay("native");
  expect(await verify(payment)).toMatchObject({ hash: payment.hash });
  const latest = Number(await chain().rpc<string>("eth_blockNumber"));
  await chain().rpc("anvil_reorg", latest - payment.block + 1, []);
  expect(["PAYMENT_NOT_FOUND", "PAYMENT_UNCONFIRMED"]).toContain((await failure(verify(payment))).code);
});

test("a failure is final only with its confirmations", async () => {
  const payment = await pay();
  const { url } = await startLiar((receipt) => ({ ...receipt, status: "0x0" }));
  const error = await failure(verify(payment, { rpc: url, confirmations: 5_000 }));
  expect(error.code).toBe("PAYMENT_UNCONFIRMED");
});

test("a transaction that the node has lost meanwhile is not taken for another payment", async () => {
  const payment = await pay("native");
  const { url } = await createRpcProxy(chain().chain.rpc, async ({ method, forward }) => {
    const result = await forward();
    if (method === "eth_getTransactionByHash") return null;
    return method === "eth_getTransactionReceipt" ? { ...(result as RawReceipt), logs: [] } : result;
  });
  expect((await failure(verify(payment, { rpc: url }))).code).toBe("INVALID_RESPONSE");
});

test("of five payments in one transaction each is found by account, token and amount, and by its log", async () => {
  const payment = await pay("native");
  const { network } = chain();
  const usdc = network.tokens.usdc?.address ?? "";
  const { logs } = await readReceipt(payment.hash);
  const [template] = logs;
  const encode = (types: string[], values: unknown[]) => AbiCoder.defaultAbiCoder().encode(types, values);
  const event = (sender: string, token: string, amount: bigint): Partial<RawLog> => ({
    topics: [template?.topics[0] ?? "", zeroPadValue(sender, 32), zeroPadValue(token, 32)],
    data: encode(["uint256", "uint256", "uint256", "bytes"], [1n, amount, 1n, "0x"]),
  });
  const transfer = (sender: string, amount: bigint): Partial<RawLog> => ({
    address: usdc,
    topics: [id("Transfer(address,address,uint256)"), zeroPadValue(sender, 32), zeroPadValue(network.contract, 32)],
    data: encode(["uint256"], [amount]),
  });
  const { from } = payment;
  const forged = [
    event(other, noToken, 900n),
    event(from, noToken, 5n),
    transfer(other, 80n),
    event(other, usdc, 80n),
    transfer(from, 60n),
    event(from, usdc, 60n),
    event(from, noToken, 700n),
  ];
  const { url } = await startLiar((receipt) => ({
    ...receipt,
    logs: forged.map((log, at) => ({ ...template, ...log, logIndex: `0x${at.toString(16)}` })),
  }));
  const find = (sender: string, token: string, amount: bigint, logIndex?: number) =>
    verify(payment, { rpc: url, sender, token, amount, logIndex }).then(
      (receipt) => [receipt.logIndex, receipt.amount],
      (error: { code: string; details: Record<string, unknown> }) => [error.code, error.details["field"]],
    );
  expect(
    await Promise.all([
      find(from, "native", 1n),
      find(from, "native", 6n),
      find(from, "usdc", 60n),
      find(other, "usdc", 80n),
      find(other, "native", 900n),
      find(from, "native", 1n, 6),
      // The amount is there, of another account, in another token, or in another log.
      find(from, "native", 900n),
      find(from, "usdc", 61n),
      find(from, "usdc", 60n, 6),
      find(from, "native", 900n, 0),
      find(from, "dai", 1n),
      find(from, "native", 1n, 2),
    ]),
  ).toEqual([
    [1, "5"],
    [6, "700"],
    [5, "60"],
    [3, "80"],
    [0, "900"],
    [6, "700"],
    ["PAYMENT_UNDERPAID", undefined],
    ["PAYMENT_UNDERPAID", undefined],
    ["PAYMENT_MISMATCH", "token"],
    ["PAYMENT_MISMATCH", "sender"],
    ["PAYMENT_MISMATCH", "token"],
    ["PAYMENT_MISMATCH", "logIndex"],
  ]);
});

test("a transfer is counted for one payment only", async () => {
  const payment = await pay();
  const { url } = await startLiar((receipt) => {
    const index = (at: number) => ({ logIndex: `0x${at.toString(16)}` });
    const [transfer, event] = receipt.logs;
    return { ...receipt, logs: [transfer, event, event].map((log, at) => ({ ...log, ...index(at) })) };
  });
  expect(await verify(payment, { rpc: url, logIndex: 1 })).toMatchObject({ amount: "700" });
  const error = await failure(verify(payment, { rpc: url, logIndex: 2 }));
  expect([error.code, error.details["received"]]).toEqual(["PAYMENT_UNDERPAID", "0"]);
});

test("coins that another contract forwards count for that contract, or for nobody without an event", async () => {
  const { rpc, network } = chain();
  const silent = `0x${"51".repeat(20)}`;
  await rpc("anvil_setCode", silent, "0x00");
  const payer = await chain().payer("native");
  const forward = async (target: string, account: string): Promise<string> => {
    // Calls the target with all coins that it was sent, and no data.
    await rpc("anvil_setCode", account, `0x60006000600060003473${target.slice(2)}5af100`);
    const { hash } = await payer.wallet.sendTransaction({ to: account, value: 900n, gasLimit: 500_000n });
    await waitUntilMined(chain(), hash);
    return hash;
  };
  const account = `0x${"5b".repeat(20)}`;
  const paid = { hash: await forward(network.contract, account), amount: 900n, token: "native" } as Payment;
  expect((await failure(verify({ ...paid, from: payer.address }))).details).toMatchObject({
    field: "sender",
    got: account,
  });
  expect(await verify({ ...paid, from: account })).toMatchObject({ sender: account, amount: "900" });

  const hash = await forward(silent, `0x${"5c".repeat(20)}`);
  for (const from of [payer.address, `0x${"5c".repeat(20)}`]) {
    const error = await failure(verify({ ...paid, hash, from }, { network: { ...network, contract: silent } }));
    expect([error.code, error.details["field"]]).toEqual(["PAYMENT_MISMATCH", "contract"]);
  }
});
