import { Contract, Interface } from "ethers";
import { describe, expect, test } from "vitest";
import type { PaymentNetwork, PaymentToken } from "../../src/base/config/networks.ts";
import { type Payment, payWithToken, verifyPayment } from "../../src/index.ts";
import type { PayOptions } from "../../src/payment/index.ts";
import { failure } from "../support/failure.ts";
import { approve, chainForTests, type Payer, waitUntilMined } from "./chain-tools.ts";
import { createRpcProxy, type RpcCall } from "./rpc-proxy.ts";

const chain = chainForTests();
const other = `0x${"ab".repeat(20)}`;
const noToken = `0x${"0".repeat(40)}`;
const receiveToken = new Interface(["function receiveToken(uint256 amount, address token)"]);

async function pay(token: PaymentToken, amount = 700n): Promise<{ payer: Payer; payment: Payment }> {
  const payer = await chain().payer(token);
  const { privateKey } = payer;
  const options = { network: chain().network, token, amount, privateKey, pollMs: 5 };
  return { payer, payment: await payWithToken(options as PayOptions) };
}

/** Verifies against the devnet's chain, for the sender of a payment unless the options name another one. */
function verify(
  { hash, from, amount, token }: Pick<Payment, "hash" | "from" | "amount" | "token">,
  options: object = {},
) {
  return verifyPayment(hash, { network: chain().network, token, sender: from, amount, ...options });
}

/** A contract that takes coins and emits no event. */
async function takeSilently(): Promise<PaymentNetwork> {
  const contract = `0x${"51".repeat(20)}`;
  await chain().rpc("anvil_setCode", contract, "0x00");
  return { ...chain().network, contract };
}

async function send(payer: Payer, to: string, value: bigint): Promise<string> {
  const { hash } = await payer.wallet.sendTransaction({ to, value, gasLimit: 500_000n });
  await waitUntilMined(chain(), hash);
  return hash;
}

test.each(["native", "usdc", "usdt", "dai"] as const)("a payment in %s is verified by its hash", async (token) => {
  const { payment } = await pay(token);
  const { network } = chain();
  const receipt = await verify(payment);
  const { blockHash, logs } = await chain().rpc<{ blockHash: string; logs: unknown[] }>(
    "eth_getTransactionReceipt",
    payment.hash,
  );
  const logIndex = logs.length - 1;
  expect(receipt).toEqual({
    id: `31337:${payment.hash}:${logIndex}`,
    chainId: 31_337,
    contract: network.contract.toLowerCase(),
    token,
    tokenAddress: token === "native" ? noToken : network.tokens[token]?.address.toLowerCase(),
    amount: "700",
    sender: payment.from,
    hash: payment.hash,
    block: payment.block,
    blockHash,
    logIndex,
    timestamp: Number(payment.event?.timestamp),
    confirmations: expect.any(Number),
  });
  expect(JSON.parse(JSON.stringify(receipt))).toEqual(receipt);
  expect(await verify({ ...payment, hash: payment.hash.toUpperCase().replace("0X", "0x") })).toMatchObject({
    id: receipt.id,
  });
  expect(await verify(payment, { amount: 1n, logIndex })).toMatchObject({ id: receipt.id, amount: "700" });
});

describe("is refused, with what it is instead:", () => {
  test.each<[string, object, string, object]>([
    ["another sender", { sender: other }, "PAYMENT_MISMATCH", { field: "sender", expected: other }],
    ["another token", { token: "dai" }, "PAYMENT_MISMATCH", { field: "token" }],
    ["the chain's own coin", { token: undefined }, "PAYMENT_MISMATCH", { field: "token", expected: noToken }],
    ["an amount that is larger", { amount: 701n }, "PAYMENT_UNDERPAID", { amount: "701", received: "700" }],
    ["another log", { logIndex: 900 }, "PAYMENT_MISMATCH", { field: "logIndex", expected: "900" }],
    ["too few confirmations", { confirmations: 5_000 }, "PAYMENT_UNCONFIRMED", { needed: 5_000 }],
  ])("%s", async (_, options, code, details) => {
    const { payment } = await pay("usdc");
    const error = await failure(verify(payment, options));
    expect([error.code, error.details["hash"]]).toEqual([code, payment.hash]);
    expect(error.details).toMatchObject(details);
  });

  test("another contract, although it emits the same event", async () => {
    const { payment } = await pay("native");
    const network = { ...chain().network, contract: other };
    const error = await failure(verify(payment, { network }));
    expect([error.code, error.details["field"]]).toEqual(["PAYMENT_MISMATCH", "contract"]);
  });

  test("another chain", async () => {
    const { payment } = await pay("native");
    expect((await failure(verify(payment, { network: { ...chain().network, chain_id: 5 } }))).code).toBe("WRONG_CHAIN");
  });

  test("a transaction that the chain does not have", async () => {
    const hash = `0x${"12".repeat(32)}`;
    const error = await failure(verify({ hash, from: other, amount: 5n, token: "native" }));
    expect([error.code, error.message, error.details]).toEqual([
      "PAYMENT_NOT_FOUND",
      "The chain has no transaction with this hash",
      { hash },
    ]);
  });

  test("the approval of a payment", async () => {
    const { payment } = await pay("usdc");
    const [{ hash }] = payment.transactions;
    const error = await failure(verify({ ...payment, hash }));
    expect([error.code, error.details["field"]]).toEqual(["PAYMENT_MISMATCH", "contract"]);
  });

  test("a transaction that reverted", async () => {
    const payer = await chain().payer("usdc");
    const { network, rpc } = chain();
    const data = receiveToken.encodeFunctionData("receiveToken", [5n, network.tokens.usdc?.address]);
    const { hash } = await payer.wallet.sendTransaction({ to: network.contract, data, gasLimit: 200_000n });
    await waitUntilMined({ rpc }, hash);
    expect((await failure(verify({ hash, from: payer.address, amount: 5n, token: "usdc" }))).code).toBe(
      "PAYMENT_REVERTED",
    );
  });

  test.each(["feeTaking", "noTransfer"] as const)(
    "an event of a token that did not arrive in full (%s)",
    async (name) => {
      const payer = await chain().payer();
      const { chain: devnetChain, withToken, rpc } = chain();
      const address = devnetChain.faultyTokens[name];
      const network = withToken(address);
      await approve({ ...chain(), network }, payer, "usdc", 500n);
      const contract = new Contract(network.contract, receiveToken, payer.wallet);
      const { hash } = (await contract.getFunction("receiveToken")(500n, address)) as { hash: string };
      await waitUntilMined({ rpc }, hash);
      const error = await failure(verify({ hash, from: payer.address, amount: 500n, token: "usdc" }, { network }));
      expect([error.code, error.details["received"]]).toEqual([
        "PAYMENT_UNDERPAID",
        name === "noTransfer" ? "0" : "495",
      ]);
    },
  );
});

describe("coins that a contract takes without an event", () => {
  test("count if the payer sent them to it", async () => {
    const network = await takeSilently();
    const payer = await chain().payer("native");
    const hash = await send(payer, network.contract, 900n);
    const paid = { hash, from: payer.address, amount: 900n, token: "native" } as const;
    const receipt = await verify(paid, { network });
    expect(receipt).toMatchObject({ id: `31337:${hash}:value`, logIndex: null, amount: "900", token: "native" });
    const codes = [{ amount: 901n }, { sender: other }, { logIndex: 0 }, { token: "usdc" }].map(async (options) => {
      const { code, details } = await failure(verify(paid, { network, ...options }));
      return [code, details["field"]];
    });
    expect(await Promise.all(codes)).toEqual([
      ["PAYMENT_UNDERPAID", undefined],
      ["PAYMENT_MISMATCH", "sender"],
      ["PAYMENT_MISMATCH", "logIndex"],
      ["PAYMENT_MISMATCH", "contract"],
    ]);
  });

  test("do not count if they went elsewhere", async () => {
    const network = await takeSilently();
    const payer = await chain().payer("native");
    const hash = await send(payer, other, 900n);
    const error = await failure(verify({ hash, from: payer.address, amount: 900n, token: "native" }, { network }));
    expect(error.details).toMatchObject({ field: "contract", got: other });
  });
});

test("of several payments in one transaction each has its own id", async () => {
  const { network, rpc } = chain();
  const account = `0x${"5a".repeat(20)}`;
  // Sends coins to the contract: no data, then the value and the address.
  const call = (value: string) => `600060006000600060${value}73${network.contract.slice(2)}5af150`;
  await rpc("anvil_setCode", account, `0x${call("05")}${call("09")}${call("09")}00`);
  await rpc("anvil_setBalance", account, "0x100000");
  const payer = await chain().payer("native");
  const hash = await send(payer, account, 0n);
  const paid = { hash, from: account, token: "native" } as const;
  const first = await verify({ ...paid, amount: 5n });
  const second = await verify({ ...paid, amount: 9n });
  const third = await verify({ ...paid, amount: 9n }, { logIndex: Number(second.logIndex) + 1 });
  expect([first, second, third].map(({ amount }) => amount)).toEqual(["5", "9", "9"]);
  expect(new Set([first.id, second.id, third.id]).size).toBe(3);
  const error = await failure(verify({ ...paid, amount: 9n }, { logIndex: Number(first.logIndex) }));
  expect([error.code, error.details["received"]]).toEqual(["PAYMENT_UNDERPAID", "5"]);
  expect((await failure(verify({ ...paid, from: payer.address, amount: 5n }))).details).toMatchObject({
    field: "sender",
    got: account,
  });
});

describe("through a node", () => {
  async function verifyThrough(handler: (call: RpcCall) => Promise<unknown>) {
    const { payment } = await pay("native");
    const proxy = await createRpcProxy(chain().chain.rpc, handler);
    return failure(verify(payment, { rpc: proxy.url }));
  }

  test("that has the transaction in no block yet", async () => {
    const error = await verifyThrough(async ({ method, forward }) =>
      method === "eth_getTransactionReceipt" ? null : forward(),
    );
    expect(error).toMatchObject({ code: "PAYMENT_UNCONFIRMED", details: { confirmations: 0, needed: 1 } });
  });

  test("that has another block in its place", async () => {
    const error = await verifyThrough(async ({ method, forward }) => {
      const result = await forward();
      return method === "eth_getBlockByNumber" ? { ...(result as object), hash: `0x${"34".repeat(32)}` } : result;
    });
    expect(error.code).toBe("PAYMENT_REORGANISED");
  });

  test("that lags behind the one that it took the receipt from", async () => {
    const error = await verifyThrough(async ({ method, forward }) =>
      method === "eth_getBlockByNumber" ? null : forward(),
    );
    expect(error.code).toBe("PAYMENT_UNCONFIRMED");
  });
});

test.each<[string, string, object, string]>([
  ["a hash that is none", "0x12", {}, "INVALID_OPTION"],
  ["no sender", `0x${"12".repeat(32)}`, { sender: undefined }, "INVALID_ADDRESS"],
  ["no amount", `0x${"12".repeat(32)}`, { amount: undefined }, "INVALID_OPTION"],
  ["an amount of 0", `0x${"12".repeat(32)}`, { amount: 0 }, "INVALID_OPTION"],
  ["no confirmation", `0x${"12".repeat(32)}`, { confirmations: 0 }, "INVALID_OPTION"],
  ["an unknown network", `0x${"12".repeat(32)}`, { network: "moonbase" }, "UNSUPPORTED_NETWORK"],
])("with %s nothing is sent", async (_, hash, options, code) => {
  const proxy = await createRpcProxy(chain().chain.rpc);
  const paid = { hash, from: other, amount: 5n, token: "native" } as const;
  expect((await failure(verify(paid, { rpc: proxy.url, ...options }))).code).toBe(code);
  expect(proxy.methods).toEqual([]);
});
