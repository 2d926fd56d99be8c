import { describe, expect, test } from "vitest";
import { type PaymentOrder, payWithToken } from "../../src/index.ts";
import { approve, chainForTests, type Payer, waitUntilMined } from "./chain-tools.ts";
import { createRpcProxy, NodeError } from "./rpc-proxy.ts";
import {
  computeMark,
  encodePayment,
  payBy,
  placeSpoof,
  type ShopResponse,
  type ShopServer,
  send,
  shopsForTests,
} from "./shop-rig.ts";
import { type SmartCall, sendBundle, toSmartAccount } from "./smart-account.ts";

const chain = chainForTests();
const openShop = shopsForTests(chain);
const nobody = `0x${"ab".repeat(20)}`;

/** What a forger has: an order that is open, an account with every token, and the shop. */
interface Forgery {
  order: PaymentOrder;
  payer: Payer;
  shop: ShopServer;
}

/** Returns a hash to claim for the order, or what the shop responded to a claim of another kind. */
type Forge = (forgery: Forgery) => Promise<string | ShopResponse>;

/** Sends calls of the payer, as a smart account, in one transaction. */
async function payInBundle(payer: Payer, calls: readonly Partial<SmartCall>[], allowance = 1_000_000n) {
  await approve(chain(), payer, "usdc", allowance);
  await toSmartAccount(chain(), payer);
  const hash = await sendBundle(
    chain(),
    payer.address,
    calls.map((call) => ({ to: chain().network.contract, ...call })),
  );
  await waitUntilMined(chain(), hash);
  return hash;
}

const encode = (mark = "", amount = 1000n) => `${encodePayment(chain(), "usdc", amount)}${mark}`;

async function readBlock(): Promise<number> {
  return Number(await chain().rpc<string>("eth_blockNumber"));
}

/** Makes a payment that was mined before its order. */
async function payBefore({ payer, shop }: Forgery, item: "usdc" | "native") {
  const early = await shop.place(item, payer.address);
  const hash =
    item === "usdc"
      ? await payBy(chain(), payer, { mark: computeMark(early.orderId) })
      : await send(chain(), payer, chain().network.contract, "0x", 1000n);
  return { hash, early };
}

const native: Readonly<Record<string, [Forge, string]>> = {
  "coins of another account": [
    async () => send(chain(), await chain().payer("native"), chain().network.contract, "0x", 1000n),
    "PAYMENT_MISMATCH sender",
  ],
  "fewer coins": [({ payer }) => send(chain(), payer, chain().network.contract, "0x", 999n), "PAYMENT_UNDERPAID"],
  "coins that went to another address": [
    ({ payer }) => send(chain(), payer, nobody, "0x", 1000n),
    "PAYMENT_MISMATCH contract",
  ],
  "coins that were paid before the order": [
    async (forgery) => {
      const { hash } = await payBefore(forgery, "native");
      await chain().rpc("anvil_mine", "0x1");
      const next = await forgery.shop.place("native", forgery.payer.address);
      return forgery.shop.claim(next.orderId, hash);
    },
    "PAYMENT_MISMATCH block",
  ],
  "coins that were credited to another order": [
    async ({ payer, shop, order }) => {
      const other = await shop.place("native", payer.address);
      const hash = await send(chain(), payer, chain().network.contract, "0x", 1000n);
      expect((await shop.claim(other.orderId, hash)).state).toBe("paid");
      return shop.claim(order.orderId, hash);
    },
    "PAYMENT_USED",
  ],
  "a token that is worth as much": [
    async ({ order }) => payBy(chain(), await chain().payer("usdc"), { mark: computeMark(order.orderId) }),
    "PAYMENT_MISMATCH sender",
  ],
};

const token: Readonly<Record<string, [Forge, string]>> = {
  "a stranger's payment without a mark": [
    async () => payBy(chain(), await chain().payer("usdc"), {}),
    "PAYMENT_MISMATCH mark",
  ],
  "the payer's own payment without a mark": [({ payer }) => payBy(chain(), payer, {}), "PAYMENT_MISMATCH mark"],
  "a stranger's payment of another order": [
    async ({ shop }) => {
      const other = await shop.place("usdc");
      return payBy(chain(), await chain().payer("usdc"), { mark: computeMark(other.orderId) });
    },
    "PAYMENT_MISMATCH mark",
  ],
  "a payment that was credited to another order": [
    async ({ payer, shop }) => {
      const other = await shop.place("usdc");
      const hash = await payBy(chain(), payer, { mark: computeMark(other.orderId) });
      expect((await shop.claim(other.orderId, hash)).state).toBe("paid");
      return hash;
    },
    "PAYMENT_MISMATCH mark",
  ],
  "the same, its hash in upper case": [
    async ({ payer, shop }) => {
      const other = await shop.place("usdc");
      const hash = await payBy(chain(), payer, { mark: computeMark(other.orderId) });
      expect((await shop.claim(other.orderId, hash)).state).toBe("paid");
      return `0x${hash.slice(2).toUpperCase()}`;
    },
    "PAYMENT_MISMATCH mark",
  ],
  "less, with the order's mark": [
    ({ payer, order }) => payBy(chain(), payer, { amount: 999n, mark: computeMark(order.orderId) }),
    "PAYMENT_UNDERPAID",
  ],
  "the mark of a cheap order, for a dear one": [
    async ({ payer, order, shop }) => {
      const dear = await shop.place("dear");
      const hash = await payBy(chain(), payer, { mark: computeMark(order.orderId) });
      return shop.claim(dear.orderId, hash);
    },
    "PAYMENT_MISMATCH mark",
  ],
  "another token, with the order's mark": [
    async ({ order }) => payBy(chain(), await chain().payer("dai"), { token: "dai", mark: computeMark(order.orderId) }),
    "PAYMENT_MISMATCH token",
  ],
  "a worthless token that the contract accepts": [
    async ({ order }) => {
      const payer = await chain().payer();
      const data = `${encodePayment(chain(), chain().chain.faultyTokens.noTransfer, 1000n)}${computeMark(order.orderId)}`;
      const worthless = { ...chain(), network: chain().withToken(chain().chain.faultyTokens.noTransfer) };
      await approve(worthless, payer, "usdc", 1000n);
      return send(chain(), payer, chain().network.contract, data);
    },
    "PAYMENT_MISMATCH mark",
  ],
  "the same event of another contract": [
    async ({ payer, order }) => {
      const spoof = await placeSpoof(chain(), payer.address, 1000n);
      return send(chain(), payer, spoof, encode(computeMark(order.orderId)));
    },
    "PAYMENT_MISMATCH contract",
  ],
  "the same event of another contract, beside a payment of one unit": [
    async ({ payer, order }) => {
      const to = await placeSpoof(chain(), payer.address, 1000n);
      const mark = computeMark(order.orderId);
      return payInBundle(payer, [{ to, data: encode(mark) }, { data: encode(mark, 1n) }]);
    },
    "PAYMENT_UNDERPAID",
  ],
  "a payment before the order, with the order's mark": [
    async (forgery) => {
      const { hash, early } = await payBefore(forgery, "usdc");
      // A shop that lost its database numbers its orders from the start again.
      return claimAgain(forgery.shop, early, hash);
    },
    "PAYMENT_MISMATCH block",
  ],
  "a transaction that this chain does not have": [async () => `0x${"12".repeat(32)}`, "PAYMENT_NOT_FOUND"],
  "a payment that reverted": [
    ({ payer, order }) => send(chain(), payer, chain().network.contract, encode(computeMark(order.orderId))),
    "PAYMENT_REVERTED",
  ],
  "a payment within a smart account that failed": [
    ({ payer, order }) => payInBundle(payer, [{ data: encode(computeMark(order.orderId)) }], 5n),
    "PAYMENT_MISMATCH contract",
  ],
  "one payment of a bundle, with the marks of two orders": [
    async ({ payer, order, shop }) => {
      const other = await shop.place("usdc");
      const [mark, second] = [computeMark(order.orderId), computeMark(other.orderId)];
      const hash = await payInBundle(payer, [{ data: encode(mark) }, { to: nobody, data: encode(second) }]);
      expect((await shop.claim(other.orderId, hash)).code).toBe("PAYMENT_MISMATCH");
      return hash;
    },
    "PAYMENT_MISMATCH mark",
  ],
  "a payment without a mark in a bundle, and a marked one that went elsewhere": [
    ({ payer, order }) =>
      payInBundle(payer, [{ to: nobody, data: encode(computeMark(order.orderId)) }, { data: encode() }]),
    "PAYMENT_MISMATCH mark",
  ],
  "a payment without a mark in a bundle, and the mark alone": [
    ({ payer, order }) =>
      payInBundle(payer, [{ data: encode() }, { to: nobody, data: `0x${computeMark(order.orderId)}` }]),
    "PAYMENT_MISMATCH mark",
  ],
  "a payment of one unit in a bundle, and a marked one of the amount that went elsewhere": [
    ({ payer, order }) =>
      payInBundle(payer, [{ data: encode("", 1n) }, { to: nobody, data: encode(computeMark(order.orderId)) }]),
    "PAYMENT_MISMATCH mark",
  ],
  "two payments of a bundle, of which the order's is too small": [
    async ({ payer, order, shop }) => {
      const other = await shop.place("usdc");
      const marks = [computeMark(order.orderId), computeMark(other.orderId)];
      return payInBundle(payer, [{ data: encode(marks[0], 1n) }, { data: encode(marks[1]) }]);
    },
    "PAYMENT_UNDERPAID",
  ],
  "a direct payment with a second mark after that of another order": [
    ({ payer, order }) => payBy(chain(), payer, { mark: `${computeMark("other")}${computeMark(order.orderId)}` }),
    "PAYMENT_MISMATCH mark",
  ],
  "a direct payment with the mark of another order after its own": [
    ({ payer, order }) => payBy(chain(), payer, { mark: `${computeMark(order.orderId)}${computeMark("other")}` }),
    "PAYMENT_MISMATCH mark",
  ],
  "the approval": [
    async ({ payer, order }) => {
      const { usdc } = chain().network.tokens;
      const data = `0x095ea7b3${chain().network.contract.slice(2).padStart(64, "0")}${(1000).toString(16).padStart(64, "0")}`;
      return send(chain(), payer, usdc?.address ?? "", `${data}${computeMark(order.orderId)}`);
    },
    "PAYMENT_MISMATCH contract",
  ],
  "a plain transfer of the token to the contract": [
    async ({ payer, order }) => {
      const { usdc } = chain().network.tokens;
      const data = `0xa9059cbb${chain().network.contract.slice(2).padStart(64, "0")}${(1000).toString(16).padStart(64, "0")}`;
      return send(chain(), payer, usdc?.address ?? "", `${data}${computeMark(order.orderId)}`);
    },
    "PAYMENT_MISMATCH contract",
  ],
  "coins with the mark as their data": [
    ({ payer, order }) => send(chain(), payer, chain().network.contract, `0x${computeMark(order.orderId)}`, 1000n),
    "PAYMENT_MISMATCH mark",
  ],
  "a claim with an order of the forger's": [
    async ({ payer, order, shop }) => {
      const hash = await payBy(chain(), payer, { amount: 1n, mark: computeMark(order.orderId) });
      return shop.claim(order.orderId, hash, { order: { ...order, amount: "1" }, amount: "1" });
    },
    "PAYMENT_UNDERPAID",
  ],
  "a payment by another account than the order's": [
    async ({ payer, shop }) => {
      const bound = await shop.place("usdc", nobody);
      const hash = await payBy(chain(), payer, { mark: computeMark(bound.orderId) });
      return shop.claim(bound.orderId, hash);
    },
    "PAYMENT_MISMATCH sender",
  ],
  "a payment that is not mined yet": [
    async ({ payer, order, shop }) => {
      await approve(chain(), payer, "usdc", 1000n);
      await chain().rpc("evm_setAutomine", false);
      try {
        const data = encode(computeMark(order.orderId));
        const { hash } = await payer.wallet.sendTransaction({ to: chain().network.contract, data, gasLimit: 500_000n });
        return await shop.claim(order.orderId, hash);
      } finally {
        await chain().rpc("evm_setAutomine", true);
      }
    },
    "PAYMENT_UNCONFIRMED",
  ],
  "a payment that a reorganisation removed": [
    async ({ payer, order }) => {
      const hash = await payBy(chain(), payer, { mark: computeMark(order.orderId) });
      await chain().rpc("anvil_reorg", 1, []);
      return hash;
    },
    "PAYMENT_NOT_FOUND|PAYMENT_UNCONFIRMED",
  ],
  "a hash that is none": [async () => "0x12", "INVALID_OPTION"],
  "a hash in a list of two": [async ({ shop, order }) => shop.claim(order.orderId, [nobody, nobody]), "INVALID_OPTION"],
  "a payment for an order that does not exist": [
    async ({ payer, shop }) => shop.claim("1", await payBy(chain(), payer, { mark: computeMark("1") })),
    "UNKNOWN_ORDER",
  ],
};

/** Claims a payment for a later order with the id of an earlier one, by replacing its terms. */
async function claimAgain(shop: ShopServer, early: PaymentOrder, hash: string) {
  await chain().rpc("anvil_mine", "0x1");
  const { database } = shops.get(shop) ?? {};
  const terms = { ...early, fromBlock: await readBlock() };
  await database?.query("update orders set terms = $1 where id = $2", [terms, early.orderId]);
  return shop.claim(early.orderId, hash);
}

type Shop = Awaited<ReturnType<typeof openShop>>;
const shops = new WeakMap<ShopServer, Shop>();

async function setUp(item: "usdc" | "native", options: Parameters<typeof openShop>[0] = {}) {
  const opened = await openShop(options);
  shops.set(opened.shop, opened);
  const payer = await chain().payer(item);
  const order = await opened.shop.place(item, item === "native" ? payer.address : undefined);
  return { ...opened, payer, order };
}

describe.each([
  ["usdc", token],
  ["native", native],
] as const)("an order in %s is not paid by", (item, forgeries) => {
  test.each(Object.entries(forgeries))("%s", async (_, [forge, code]) => {
    const { shop, payer, order, countCredits } = await setUp(item);
    const forged = await forge({ shop, payer, order });
    const credits = await countCredits();
    const response = typeof forged === "string" ? await shop.claim(order.orderId, forged) : forged;
    expect([response.code, response.field].filter(Boolean).join(" ")).toMatch(new RegExp(`^(${code})$`));
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect([(await shop.read(order.orderId)).state, await countCredits()]).toEqual(["open", credits]);
  });
});

/** Signs a marked payment of an order, which is sent as often as a test needs. */
async function sign(payer: Payer, order: PaymentOrder): Promise<string> {
  await approve(chain(), payer, "usdc", 1_000_000n);
  const call = { to: chain().network.contract, data: encode(computeMark(order.orderId)), gasLimit: 500_000n };
  return payer.wallet.signTransaction(await payer.wallet.populateTransaction(call));
}

async function broadcast(raw: string): Promise<string> {
  const hash = await chain().rpc<string>("eth_sendRawTransaction", raw);
  await waitUntilMined(chain(), hash);
  return hash;
}

test.each(["usdc", "native"] as const)("a payment in %s pays its order, however often it is claimed", async (item) => {
  const { servers, shop, payer, order, countCredits } = await setUp(item);
  const mark = computeMark(order.orderId);
  const hash =
    item === "usdc"
      ? await payBy(chain(), payer, { mark })
      : await send(chain(), payer, chain().network.contract, "0x", 1000n);
  const claims = Array.from({ length: 20 }, (_, at) => servers[at % 2 === 0 ? 0 : 1].claim(order.orderId, hash));
  const responses = await Promise.all(claims);
  expect(new Set(responses.map(({ status, state }) => `${status} ${state}`))).toEqual(new Set(["200 paid"]));
  expect(await countCredits()).toBe(1);
  expect(await shop.read(order.orderId)).toMatchObject({
    status: 200,
    state: "paid",
    order: { orderId: order.orderId },
  });
});

test("what payWithToken pays for an order is accepted", async () => {
  const { shop, payer, order } = await setUp("usdc");
  const { privateKey } = payer;
  const { hash } = await payWithToken({ network: chain().network, order, privateKey, pollMs: 5 });
  expect((await shop.claim(order.orderId, hash)).state).toBe("paid");
});

test("one payment that is claimed for two orders at once pays one of them", async () => {
  const { servers, shop, payer, order, countCredits } = await setUp("native");
  const other = await shop.place("native", payer.address);
  const hash = await send(chain(), payer, chain().network.contract, "0x", 1000n);
  const claims = Array.from({ length: 20 }, (_, at) =>
    servers[at % 2 === 0 ? 0 : 1].claim(at % 4 < 2 ? order.orderId : other.orderId, hash),
  );
  const responses = await Promise.all(claims);
  const outcomes = responses.map(({ state, code }) => state ?? code);
  expect(outcomes.filter((outcome) => outcome === "paid")).toHaveLength(10);
  expect(outcomes.filter((outcome) => outcome === "PAYMENT_USED")).toHaveLength(10);
  const states = [await shop.read(order.orderId), await shop.read(other.orderId)].map(({ state }) => state);
  expect([states.toSorted(), await countCredits()]).toEqual([["open", "paid"], 1]);
});

test("a second payment of an order is refused, and credited to no other one", async () => {
  const { shop, payer, order, countCredits } = await setUp("usdc");
  const mark = computeMark(order.orderId);
  const [first, second] = [await payBy(chain(), payer, { mark }), await payBy(chain(), payer, { mark })];
  expect((await shop.claim(order.orderId, first)).state).toBe("paid");
  expect(await shop.claim(order.orderId, second)).toMatchObject({ status: 409, code: "ALREADY_PAID" });
  const other = await shop.place("usdc");
  expect((await shop.claim(other.orderId, second)).field).toBe("mark");
  expect(await countCredits()).toBe(1);
});

test("two payments of one bundle pay two orders, each its own", async () => {
  const { shop, payer, order, database } = await setUp("usdc");
  const other = await shop.place("usdc");
  const marks = [order, other].map(({ orderId }) => computeMark(orderId));
  const hash = await payInBundle(
    payer,
    marks.map((mark) => ({ data: encode(mark) })),
  );
  for (const { orderId } of [other, order]) expect((await shop.claim(orderId, hash)).state).toBe("paid");
  const { rows } = await database.query<{ id: string; index: number }>(
    "select id, (receipt->>'logIndex')::int as index from payments where order_id = $1 or order_id = $2 order by index",
    [order.orderId, other.orderId],
  );
  expect(rows.map(({ id }) => id)).toEqual(rows.map(({ index }) => `31337:${hash}:${index}`));
  expect(new Set(rows.map(({ index }) => index)).size).toBe(2);
});

test("an order is delivered once, after more blocks, by one of the servers", async () => {
  const { servers, shop, payer, order, delivered } = await setUp("usdc");
  const hash = await payBy(chain(), payer, { mark: computeMark(order.orderId) });
  await shop.claim(order.orderId, hash);
  const deliverAll = () => Promise.all([...servers, ...servers].map((server) => server.deliverPaid()));
  await deliverAll();
  expect([delivered, (await shop.read(order.orderId)).state]).toEqual([[], "paid"]);
  await chain().rpc("anvil_mine", "0x2");
  await deliverAll();
  await deliverAll();
  expect([delivered, (await shop.read(order.orderId)).state]).toEqual([[order.orderId], "delivered"]);
  expect((await shop.claim(order.orderId, hash)).state).toBe("delivered");
});

test("a payment that a reorganisation removes between the two checks is taken back, and credited when it is mined again", async () => {
  const { shop, payer, order, delivered, countCredits } = await setUp("usdc");
  const raw = await sign(payer, order);
  const hash = await broadcast(raw);
  expect((await shop.claim(order.orderId, hash)).state).toBe("paid");
  await chain().rpc("anvil_reorg", 1, []);
  await chain().rpc("anvil_mine", "0x3");
  await shop.deliverPaid();
  expect([delivered, (await shop.read(order.orderId)).state, await countCredits()]).toEqual([[], "open", 0]);

  expect(await broadcast(raw)).toBe(hash);
  for (let claims = 0; claims < 2; claims++) expect((await shop.claim(order.orderId, hash)).state).toBe("paid");
  await chain().rpc("anvil_mine", "0x3");
  for (let rounds = 0; rounds < 2; rounds++) await shop.deliverPaid();
  expect([delivered, await countCredits()]).toEqual([[order.orderId], 1]);
});

test("a payment that a reorganisation moves to another place is credited once", async () => {
  const { shop, payer, order, delivered, countCredits, database } = await setUp("usdc");
  const other = await sign(await chain().payer("usdc"), { ...order, orderId: "another" });
  const raw = await sign(payer, order);
  const hash = await broadcast(raw);
  await shop.claim(order.orderId, hash);
  const read = async () => (await database.query<{ id: string }>("select id from payments")).rows;
  const before = await read();
  // In the new block another payment precedes it, so that its logs have other indices.
  const readIndex = async () =>
    (await chain().rpc<{ logs: { logIndex: string }[] }>("eth_getTransactionReceipt", hash)).logs[0]?.logIndex;
  const indexBefore = await readIndex();
  // In the new block another payment precedes it.
  await chain().rpc("anvil_reorg", 1, [
    [other, 0],
    [raw, 0],
  ]);
  expect([indexBefore, await readIndex()]).toEqual(["0x0", "0x2"]);
  expect((await shop.claim(order.orderId, hash)).state).toBe("paid");
  await chain().rpc("anvil_mine", "0x3");
  await shop.deliverPaid();
  expect([await read(), delivered, await countCredits()]).toEqual([before, [order.orderId], 1]);
});

test("a node that fails at the second check takes nothing back, and delivers nothing", async () => {
  const proxy = await createRpcProxy(chain().chain.rpc);
  const { shop, payer, order, delivered } = await setUp("usdc", { rpc: [proxy.url] });
  await shop.claim(order.orderId, await payBy(chain(), payer, { mark: computeMark(order.orderId) }));
  await chain().rpc("anvil_mine", "0x3");
  proxy.handle(async () => {
    throw new NodeError(-32_000, "out of order");
  });
  await shop.deliverPaid();
  expect([delivered, (await shop.read(order.orderId)).state]).toEqual([[], "paid"]);
  proxy.handle();
  await shop.deliverPaid();
  expect(delivered).toEqual([order.orderId]);
});

test("a shop whose database ends all connections goes on with new ones", async () => {
  const { shop, order, database } = await setUp("usdc");
  const errors: Error[] = [];
  database.on("error", (error) => errors.push(error));
  const read = () => shop.read(order.orderId);
  await Promise.all([read(), read(), read()]);
  const killer = await database.connect();
  await killer.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where backend_type = 'client backend' and pid != pg_backend_pid()",
  );
  killer.release();
  await expect.poll(() => errors.length).toBeGreaterThan(0);
  expect((await read()).state).toBe("open");
});

test("a payment long after the end of its order is late: it is credited, and left to a person", async () => {
  const { shop, payer, order, delivered } = await setUp("usdc", { expiresInMs: 1, graceMs: -5_000 });
  const hash = await payBy(chain(), payer, { mark: computeMark(order.orderId) });
  expect((await shop.claim(order.orderId, hash)).state).toBe("late");
  await chain().rpc("anvil_mine", "0x3");
  await shop.deliverPaid();
  expect([delivered, (await shop.read(order.orderId)).state]).toEqual([[], "late"]);
});

test("the shop chooses the price, and refuses what is no request", async () => {
  const { shop } = await setUp("usdc");
  const respond = async (method: string, path: string, body?: unknown) => {
    const { status, code } = await shop.request(method, path, body);
    return `${status} ${code}`;
  };
  const placed = await shop.request("POST", "/orders", { item: "usdc", amount: "1", price: 1, orderId: "mine" });
  expect([placed.order.amount, placed.order.orderId === "mine"]).toEqual(["1000", false]);
  expect(await respond("POST", "/orders", { item: "gold" })).toBe("400 UNKNOWN_ITEM");
  expect(await respond("POST", "/orders", { item: "constructor" })).toBe("400 UNKNOWN_ITEM");
  expect(await respond("POST", "/orders", { item: "native" })).toBe("422 INVALID_OPTION");
  expect(await respond("POST", "/orders", { item: "usdc", sender: "0x12" })).toBe("422 INVALID_ADDRESS");
  expect(await respond("POST", "/orders", null)).toBe("400 INVALID_JSON");
  expect(await respond("POST", "/orders", { item: "usdc", note: "x".repeat(20_000) })).toBe("413 TOO_LARGE");
  expect(await respond("GET", "/orders/unknown")).toBe("404 UNKNOWN_ORDER");
  for (const path of ["/", "/orders", "/orders/1/payment", "/orders/1/2/3"])
    expect(await respond("GET", path)).toBe("404 UNKNOWN_PATH");
});
