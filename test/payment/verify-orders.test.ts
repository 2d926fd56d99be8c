import { describe, expect, test } from "vitest";
import { networks, type PaymentNetwork } from "../../src/base/config/networks.ts";
import { createOrder, type PaymentOrder, payWithToken, verifyPayment } from "../../src/index.ts";
import type { PaymentReceipt } from "../../src/payment/receipts/receipt.ts";
import { keepMarked } from "../../src/payment/receipts/receipt.ts";
import { failure } from "../support/failure.ts";
import { chainForTests, withRpc } from "./chain-tools.ts";
import { Broken, createRpcProxy, NodeError, Reply, type RpcCall } from "./rpc-proxy.ts";
import { computeMark, encodePayment, payBy, send } from "./shop-rig.ts";

const chain = chainForTests();
const other = `0x${"ab".repeat(20)}`;
const wrongHash = `0x${"34".repeat(32)}`;
const unknown = `0x${"12".repeat(32)}`;

type OrderOptions = Parameters<typeof createOrder<bigint>>[0];
let orders = 0;

function place(options: Partial<OrderOptions> = {}): Promise<PaymentOrder> {
  const order = { network: chain().network, orderId: `order ${++orders}`, token: "usdc", amount: 1000n };
  return createOrder({ ...order, ...options } as OrderOptions);
}

function verify(hash: string, order: unknown, options: object = {}) {
  return verifyPayment(hash, { network: chain().network, order: order as PaymentOrder, ...options });
}

async function placeAndPay() {
  const order = await place();
  const payer = await chain().payer("usdc");
  return { order, payer, hash: await payBy(chain(), payer, { mark: computeMark(order.orderId) }) };
}

const forward = ({ forward }: RpcCall) => forward();

async function startNodes(...handlers: ((call: RpcCall) => Promise<unknown>)[]) {
  const nodes = await Promise.all(handlers.map((handler) => createRpcProxy(chain().chain.rpc, handler)));
  return { nodes, rpc: nodes.map(({ url }) => url) };
}

describe("an order", () => {
  test("says what to pay, until when and from which block on", async () => {
    const { network, rpc } = chain();
    const before = Date.now();
    const order = await place({ orderId: "invoice 7", sender: other.toUpperCase().replace("0X", "0x") });
    const { expiresAt, ...rest } = order;
    expect(rest).toEqual({
      orderId: "invoice 7",
      chainId: 31_337,
      contract: network.contract.toLowerCase(),
      token: "usdc",
      tokenAddress: network.tokens.usdc?.address.toLowerCase(),
      amount: "1000",
      mark: computeMark("invoice 7"),
      sender: other,
      fromBlock: Number(await rpc<string>("eth_blockNumber")),
    });
    expect(expiresAt).toBe(new Date(expiresAt).toISOString());
    expect(Date.parse(expiresAt) - before).toBeGreaterThanOrEqual(3_600_000);
    expect(JSON.parse(JSON.stringify(order))).toEqual(order);
    const coins = await place({ token: "native", sender: other });
    expect(coins).toMatchObject({ token: "native", tokenAddress: `0x${"0".repeat(40)}`, mark: null, sender: other });
    const short = await place({ expiresInMs: 1 });
    expect(Date.parse(short.expiresAt)).toBeLessThanOrEqual(Date.now() + 1);
    expect([short.sender, short.fromBlock]).toEqual([null, order.fromBlock]);
  });

  test("is of the price of a size", async () => {
    const options = { network: chain().network, token: "usdc", size: 1 } as const;
    expect((await createOrder({ ...options, orderId: "minimum" })).amount).toBe("3906");
    const dear = { usdPerMiB: 2, minimumBytes: 0 };
    expect((await createOrder({ ...options, ...dear, size: 2 ** 19, orderId: "dear" })).amount).toBe("1000000");
  });

  test("names its chain, if that has a name", async () => {
    const { rpc } = await startNodes(async ({ method, forward }) => (method === "eth_chainId" ? "0x89" : forward()));
    const order = await createOrder({ network: "polygon", orderId: "x", token: "dai", amount: 5, rpc });
    expect(order).toMatchObject({
      network: "polygon",
      chainId: 137,
      contract: networks.polygon.contract.toLowerCase(),
      tokenAddress: networks.polygon.tokens.dai.address.toLowerCase(),
    });
    expect((await failure(verifyPayment(unknown, { order, rpc }))).code).toBe("PAYMENT_NOT_FOUND");
    const renamed = { ...order, network: "optimism" } as const;
    expect((await failure(verifyPayment(unknown, { order: renamed, rpc }))).details["option"]).toBe("order.chainId");
  });

  test.each<[string, object, string, string?]>([
    ["no id", { orderId: undefined }, "INVALID_OPTION", "orderId"],
    ["a blank id", { orderId: " " }, "INVALID_OPTION", "orderId"],
    ["coins of anyone", { token: "native" }, "INVALID_OPTION", "sender"],
    ["a sender that is none", { sender: "0x12" }, "INVALID_ADDRESS"],
    ["no amount", { amount: undefined }, "INVALID_OPTION", "amount"],
    ["an amount and a size", { size: 5 }, "INVALID_OPTION", "amount"],
    ["no token", { token: undefined }, "MISSING_TOKEN"],
    ["a token that its chain does not have", { token: "euro" }, "TOKEN_NOT_SUPPORTED"],
    ["a chain that is unknown", { network: "moonbase" }, "UNSUPPORTED_NETWORK"],
    ["no time", { expiresInMs: 0 }, "INVALID_OPTION", "expiresInMs"],
    ["time without end", { expiresInMs: 2 ** 52 }, "INVALID_OPTION", "expiresInMs"],
  ])("with %s is refused, and nothing is sent", async (_, options, code, option) => {
    const { nodes, rpc } = await startNodes(forward);
    const error = await failure(place({ rpc, ...options }));
    expect([error.code, error.details["option"]]).toEqual([code, option]);
    expect(nodes[0]?.methods).toEqual([]);
  });

  test("is refused by a node of another chain", async () => {
    const { rpc } = await startNodes(async ({ method, forward }) => (method === "eth_chainId" ? "0x1" : forward()));
    expect((await failure(place({ rpc }))).code).toBe("WRONG_CHAIN");
  });
});

describe("an order that was changed is refused, and nothing is sent:", () => {
  test.each<[string, (order: PaymentOrder) => unknown, string]>([
    ["none at all", () => null, "order"],
    ["a string", (order) => JSON.stringify(order), "order"],
    ["a list", (order) => [order], "order"],
    ["another id", (order) => ({ ...order, orderId: "another" }), "order.mark"],
    ["no id", (order) => ({ ...order, orderId: "" }), "order.orderId"],
    ["another mark", (order) => ({ ...order, mark: computeMark("another") }), "order.mark"],
    ["no mark", (order) => ({ ...order, mark: null }), "order.mark"],
    ["another contract", (order) => ({ ...order, contract: other }), "order.contract"],
    ["another chain", (order) => ({ ...order, chainId: 137 }), "order.chainId"],
    ["the chain as a string", (order) => ({ ...order, chainId: "31337" }), "order.chainId"],
    ["another token contract", (order) => ({ ...order, tokenAddress: other }), "order.tokenAddress"],
    ["another token", (order) => ({ ...order, token: "dai" }), "order.tokenAddress"],
    ["coins of anyone", (order) => ({ ...order, token: "native", sender: null }), "sender"],
    ["an amount of 0", (order) => ({ ...order, amount: "0" }), "order.amount"],
    ["a negative amount", (order) => ({ ...order, amount: "-5" }), "order.amount"],
    ["an amount in hex", (order) => ({ ...order, amount: "0x5" }), "order.amount"],
    ["an amount that is a number", (order) => ({ ...order, amount: 1000 }), "order.amount"],
    ["half an amount", (order) => ({ ...order, amount: "0.5" }), "order.amount"],
    ["more than there can be", (order) => ({ ...order, amount: "9".repeat(78) }), "order.amount"],
    ["a sender that is none", (order) => ({ ...order, sender: "0x12" }), "order.sender"],
    ["no sender field", ({ sender: _, ...order }) => order, "order.sender"],
    ["a block that is negative", (order) => ({ ...order, fromBlock: -1 }), "order.fromBlock"],
    ["a block that is a string", (order) => ({ ...order, fromBlock: "0" }), "order.fromBlock"],
    ["no date", (order) => ({ ...order, expiresAt: "soon" }), "order.expiresAt"],
    ["a date in another form", (order) => ({ ...order, expiresAt: "1 May 2030" }), "order.expiresAt"],
    ["a date that is none", (order) => ({ ...order, expiresAt: "2030-13-01T00:00:00.000Z" }), "order.expiresAt"],
  ])("%s", async (_, change, option) => {
    const { nodes, rpc } = await startNodes(forward);
    const error = await failure(verify(unknown, change(await place()), { rpc }));
    expect([error.code, error.details["option"]]).toEqual(["INVALID_OPTION", option]);
    expect(nodes[0]?.methods).toEqual([]);
  });

  test("a chain, contract and token of its own", async () => {
    const { network } = chain();
    const own = { ...network, contract: other, tokens: { usdc: { address: other, decimals: 6 } } };
    const { nodes } = await startNodes(forward);
    const order = {
      ...(await place()),
      network: withRpc(own, nodes[0]?.url ?? ""),
      contract: other,
      tokenAddress: other,
    };
    const error = await failure(verifyPayment(unknown, { order: order as never }));
    expect([error.code, error.details["option"]]).toEqual(["INVALID_OPTION", "order.network"]);
    const { privateKey } = await chain().payer("usdc");
    const refused = await failure(payWithToken({ order: order as never, privateKey }));
    expect([refused.code, refused.details["option"]]).toEqual(["INVALID_OPTION", "order.network"]);
    expect(nodes[0]?.methods).toEqual([]);
  });

  test("a token, a name or no chain that the table does not have", async () => {
    const order = await place();
    const codes = [
      [{ ...order, token: "constructor" }, {}],
      [{ ...order, network: "moonbase" }, { network: undefined }],
      [order, { network: undefined }],
    ].map(async ([changed, options]) => (await failure(verify(unknown, changed, options as object))).code);
    expect(await Promise.all(codes)).toEqual(["TOKEN_NOT_SUPPORTED", "UNSUPPORTED_NETWORK", "UNSUPPORTED_NETWORK"]);
  });

  test.each([{ amount: 1 }, { sender: other }, { token: "usdc" }])("beside %j", async (options) => {
    const error = await failure(verify(unknown, await place(), options));
    expect([error.code, error.details["option"]]).toEqual(["INVALID_OPTION", "order"]);
  });
});

test("an order is verified as JSON carries it, with fields that are not known here, whatever happens to it meanwhile", async () => {
  const { order, hash, payer } = await placeAndPay();
  const copy = { ...(JSON.parse(JSON.stringify(order)) as PaymentOrder), note: "new" };
  const verifying = verify(hash, copy);
  Object.assign(copy, { amount: "5000", orderId: "changed" });
  expect(await verifying).toMatchObject({ hash, amount: "1000", sender: payer.address, token: "usdc" });
});

test("more than the order's amount pays it, and a log that is named has to be it", async () => {
  const order = await place();
  const payer = await chain().payer("usdc");
  const hash = await payBy(chain(), payer, { amount: 1001n, mark: computeMark(order.orderId) });
  const receipt = await verify(hash, order);
  expect(receipt.amount).toBe("1001");
  expect(await verify(hash, order, { logIndex: Number(receipt.logIndex) })).toMatchObject({ id: receipt.id });
  expect((await failure(verify(hash, order, { logIndex: 0 }))).details).toMatchObject({ field: "logIndex" });
});

test("a payment counts from the first block of its order on", async () => {
  const { order, hash } = await placeAndPay();
  const { block } = await verify(hash, order);
  expect((await verify(hash, { ...order, fromBlock: block })).block).toBe(block);
  expect((await failure(verify(hash, { ...order, fromBlock: block + 1 }))).details).toMatchObject({
    field: "block",
    expected: `${block + 1} or later`,
    got: String(block),
  });
});

describe("which payment of a transaction carries a mark", () => {
  const [a, b] = [computeMark("a"), computeMark("b")];
  const contract = `0x${"c0".repeat(20)}`;
  const usdc = `0x${"11".repeat(20)}`;
  const dai = `0x${"22".repeat(20)}`;
  const call = (amount: bigint, token: string, mark = "") => `${encodePayment(chain(), token, amount).slice(2)}${mark}`;
  const pad = "00".repeat(28);

  /** Returns the positions of the payments that carry the mark `a`, in a transaction with these payments and data. */
  const find = (paid: [bigint, string][], data: string, to = other) => {
    const receipts = paid.map(
      ([amount, tokenAddress], logIndex) =>
        ({ amount: String(amount), tokenAddress, logIndex, contract }) as PaymentReceipt,
    );
    return keepMarked(receipts, { to, data: `0x${data}` }, a).map(({ logIndex }) => logIndex);
  };

  test("a direct call is the payment and the mark", () => {
    const data = call(5n, usdc, a);
    expect(find([[5n, usdc]], data, contract)).toEqual([0]);
    expect(find([[5n, usdc]], data.toUpperCase(), contract)).toEqual([0]);
    for (const wrong of [
      `${data}00`,
      `00${data}`,
      data.slice(0, -2),
      call(6n, usdc, a),
      call(5n, dai, a),
      call(5n, usdc, b),
    ])
      expect(find([[5n, usdc]], wrong, contract)).toEqual([]);
  });

  test("each payment has a call of its own", () => {
    const two = `${call(5n, usdc, b)}${pad}${call(5n, usdc, a)}${pad}`;
    expect(
      find(
        [
          [5n, usdc],
          [5n, usdc],
        ],
        two,
      ),
    ).toEqual([1]);
    expect(find([[5n, usdc]], two)).toEqual([]);
    expect(
      find(
        [
          [5n, usdc],
          [5n, dai],
        ],
        two,
      ),
    ).toEqual([]);
    const mixed = `${call(5n, dai, b)}${pad}${call(7n, usdc, b)}${pad}${call(5n, usdc, a)}`;
    expect(
      find(
        [
          [5n, dai],
          [7n, usdc],
          [5n, usdc],
        ],
        mixed,
      ),
    ).toEqual([2]);
    expect(
      find(
        [
          [5n, usdc],
          [5n, usdc],
        ],
        `${call(5n, usdc, a)}${pad}${call(5n, usdc, a)}`,
      ),
    ).toEqual([0, 1]);
  });

  test("a call without a mark counts as one, too", () => {
    expect(find([[5n, usdc]], `${call(5n, usdc)}${pad}${call(5n, usdc, a)}`)).toEqual([]);
    expect(
      find(
        [
          [5n, usdc],
          [5n, usdc],
        ],
        `${call(5n, usdc)}${pad}${call(5n, usdc, a)}`,
      ),
    ).toEqual([1]);
  });

  test("the mark is right behind the call, at a whole byte, and of the amount and token that were paid", () => {
    expect(find([[5n, usdc]], `12${call(5n, usdc, a)}34`)).toEqual([0]);
    for (const wrong of [
      `1${call(5n, usdc, a)}2`,
      `${call(5n, usdc)}00${a}`,
      `${a}${call(5n, usdc)}`,
      `${call(5n, usdc)}${pad}${a}`,
      call(5n, usdc, a.slice(0, -2)),
      call(50n, usdc, a),
      call(5n, dai, a),
      "",
    ])
      expect(find([[5n, usdc]], wrong)).toEqual([]);
  });
});

type Forge = (call: RpcCall, upstream: Record<string, unknown>) => unknown;
interface RawLog {
  address: string;
  data: string;
  topics: string[];
}

/** A node that responds otherwise to one method. */
const lie = (method: string, forge: Forge) => async (call: RpcCall) => {
  const result = await call.forward();
  return call.method === method ? forge(call, result as Record<string, unknown>) : result;
};
const forgeEvent = (change: (log: RawLog) => Partial<RawLog>) =>
  lie("eth_getTransactionReceipt", (_, { logs, ...receipt }) => {
    const all = logs as RawLog[];
    return { ...receipt, logs: all.map((log, at) => (at === all.length - 1 ? { ...log, ...change(log) } : log)) };
  });

/** Each kind of lie about a payment that was made. */
const lies: Readonly<Record<string, (call: RpcCall) => Promise<unknown>>> = {
  "does not know the transaction": async ({ method, forward }) =>
    /^eth_getTransaction/.test(method) ? null : forward(),
  "has it in no block": lie("eth_getTransactionReceipt", () => null),
  "says that it failed": lie("eth_getTransactionReceipt", (_, it) => ({ ...it, status: "0x0", logs: [] })),
  "says that it did nothing": lie("eth_getTransactionReceipt", (_, it) => ({ ...it, logs: [] })),
  "has it in another block": lie("eth_getTransactionReceipt", (_, it) => ({ ...it, blockNumber: "0x1" })),
  "has another block in its place": lie("eth_getBlockByNumber", (_, it) => ({ ...it, hash: wrongHash })),
  "has another time": lie("eth_getBlockByNumber", (_, it) => ({ ...it, timestamp: "0x5" })),
  "has another amount": forgeEvent(({ data }) => ({ data: data.replace("3e8", "3e7") })),
  "has another sender": forgeEvent(({ topics: [event = "", , token = ""] }) => ({
    topics: [event, `0x${other.slice(2).padStart(64, "0")}`, token],
  })),
  "has the event of another contract": forgeEvent(() => ({ address: other })),
  "has another mark": lie("eth_getTransactionByHash", (_, it) => ({
    ...it,
    input: String(it["input"]).replace(/.{64}$/, computeMark("another")),
  })),
  "has a block of its own": async ({ method, forward }) => {
    const result = (await forward()) as { logs?: object[] };
    if (method === "eth_getBlockByNumber") return { ...result, hash: wrongHash };
    if (method !== "eth_getTransactionReceipt") return result;
    return { ...result, blockHash: wrongHash, logs: result.logs?.map((log) => ({ ...log, blockHash: wrongHash })) };
  },
  "is far ahead": lie("eth_blockNumber", () => "0xffffff"),
  "lags behind": lie("eth_blockNumber", () => "0x1"),
  "is on another chain": lie("eth_chainId", () => "0x1"),
  "has a receipt of another transaction": lie("eth_getTransactionReceipt", (_, it) => ({
    ...it,
    transactionHash: wrongHash,
  })),
  "responds with nonsense": async () => "nonsense",
  "is too busy": async () => {
    throw new Reply({ error: { code: -32_005, message: "limit" } }, 429, { "retry-after": "3600" });
  },
  "refuses every call": async () => {
    throw new NodeError(-32_000, "no");
  },
  "breaks every connection": async () => {
    throw new Broken();
  },
};

describe("of three nodes", () => {
  test.each(Object.entries(lies))("one that %s changes nothing, wherever it is", async (_, liar) => {
    const { order, hash } = await placeAndPay();
    await chain().rpc("anvil_mine", "0x2");
    const truth = await verify(hash, order);
    expect(truth.confirmations).toBe(3);
    for (const position of [0, 1, 2]) {
      const { rpc } = await startNodes(...[forward, forward].toSpliced(position, 0, liar));
      expect(await verify(hash, order, { rpc })).toEqual(truth);
    }
  });

  test("two agree although one is a block behind: what is confirmed by both counts", async () => {
    const { order, hash } = await placeAndPay();
    await chain().rpc("anvil_mine", "0x2");
    const behind = lie("eth_blockNumber", (_, latest) => `0x${(Number(latest) - 1).toString(16)}`);
    const denying = lies["does not know the transaction"] ?? forward;
    for (const handlers of [
      [denying, forward, behind],
      [behind, denying, forward],
    ]) {
      const { rpc } = await startNodes(...handlers);
      expect(await verify(hash, order, { rpc })).toMatchObject({ hash, confirmations: 2 });
    }
  });

  test("one that has a payment which the others have not is not believed", async () => {
    const order = await place();
    const payer = await chain().payer("usdc");
    const unmarked = await payBy(chain(), payer, {});
    const marking = lie("eth_getTransactionByHash", (_, it) => ({
      ...it,
      input: `${String(it["input"])}${order.mark}`,
    }));
    const { rpc } = await startNodes(marking, forward, forward);
    expect(await verify(unmarked, order, { rpc: rpc.slice(0, 1) })).toMatchObject({ hash: unmarked });
    expect((await failure(verify(unmarked, order, { rpc }))).details).toMatchObject({ field: "mark" });
    const { rpc: others } = await startNodes(forward, marking, forward);
    expect((await failure(verify(unmarked, order, { rpc: others }))).code).toBe("PAYMENT_MISMATCH");
  });

  test.each<[string, string[], string, string?]>([
    ["all disagree", ["has another amount", "does not know the transaction"], "INVALID_RESPONSE", "PAYMENT_NOT_FOUND"],
    ["one lies and one is down", ["says that it failed", "breaks every connection"], "INVALID_RESPONSE", "NETWORK"],
    ["two have other payments", ["has a block of its own", "has another time"], "INVALID_RESPONSE", "paid, paid, paid"],
    ["two are down", ["breaks every connection", "breaks every connection"], "NETWORK"],
    ["two are on another chain", ["is on another chain", "is on another chain"], "WRONG_CHAIN"],
    ["two lag behind", ["lags behind", "lags behind"], "PAYMENT_UNCONFIRMED"],
  ])("if %s, nothing is believed", async (_, names, code, message = "") => {
    const { order, hash } = await placeAndPay();
    const { rpc } = await startNodes(...names.map((name) => lies[name] ?? forward), forward);
    const error = await failure(verify(hash, order, { rpc }));
    expect(error.code).toBe(code);
    expect(error.message).toContain(message);
  });

  test("two that agree are enough: the third one is not waited for, and its request ends", async () => {
    const { order, hash } = await placeAndPay();
    const { nodes, rpc } = await startNodes(() => new Promise(() => undefined), forward, forward);
    expect(await verify(hash, order, { rpc, timeoutMs: 600_000 })).toMatchObject({ hash });
    await expect.poll(() => nodes[0]?.connections()).toBe(0);
  });

  test("all are the network's own, unless there are others", async () => {
    const { order, hash } = await placeAndPay();
    const { nodes, rpc } = await startNodes(
      forgeEvent(() => ({ address: other })),
      forward,
      forward,
      forward,
    );
    const [first = "", ...moreRpcs] = rpc.slice(0, 3);
    const network: PaymentNetwork = { ...withRpc(chain().network, first), moreRpcs };
    expect(await verify(hash, order, { network })).toMatchObject({ hash });
    const { sender } = await verify(hash, order);
    const plain = { network, token: "usdc", sender, amount: 1000n } as const;
    expect(await verifyPayment(hash, plain)).toMatchObject({ hash });
    expect(nodes.map(({ methods }) => methods.length > 0)).toEqual([true, true, true, false]);
  });

  test("the same one three times is one", async () => {
    const { order, hash } = await placeAndPay();
    const { nodes, rpc } = await startNodes(forward);
    await verify(hash, order, { rpc: [...rpc, ...rpc, ...rpc] });
    expect(nodes[0]?.count("eth_getTransactionReceipt")).toBe(1);
  });

  test("none is waited for once the call is aborted", async () => {
    const { order, hash } = await placeAndPay();
    const controller = new AbortController();
    const hang = () => {
      controller.abort();
      return new Promise(() => undefined);
    };
    const { rpc } = await startNodes(hang, hang, hang);
    expect((await failure(verify(hash, order, { rpc, signal: controller.signal }))).code).toBe("ABORTED");
  });
});

test("of two nodes the first one that works is believed", async () => {
  const { order, hash } = await placeAndPay();
  const { rpc } = await startNodes(lies["breaks every connection"] ?? forward, forward);
  expect(await verify(hash, order, { rpc })).toMatchObject({ hash });
  const { rpc: lying } = await startNodes(lies["does not know the transaction"] ?? forward, forward);
  expect((await failure(verify(hash, order, { rpc: lying }))).code).toBe("PAYMENT_NOT_FOUND");
});

test("a node that loses the transaction while it is verified proves nothing", async () => {
  const { order, hash } = await placeAndPay();
  const { rpc } = await startNodes(lie("eth_getTransactionByHash", () => null));
  expect((await failure(verify(hash, order, { rpc }))).code).toBe("INVALID_RESPONSE");
});

test("an order in coins is paid by its sender alone", async () => {
  const payer = await chain().payer("native");
  const order = await place({ token: "native", sender: payer.address });
  const hash = await send(chain(), payer, chain().network.contract, "0x", 1000n);
  expect(await verify(hash, order)).toMatchObject({ sender: payer.address, amount: "1000", token: "native" });
  const stranger = { ...order, sender: other };
  expect((await failure(verify(hash, stranger))).details).toMatchObject({ field: "sender", got: payer.address });
});
