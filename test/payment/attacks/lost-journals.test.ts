import { cp, rm } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { PaymentToken } from "../../../src/base/config/networks.ts";
import { chainForTests } from "../chain-tools.ts";
import { createFolder } from "../child-rig.ts";
import { Broken, createRpcProxy, NodeError } from "../rpc-proxy.ts";
import { AMOUNT, createAttack, expectPaidOnce, hold, mine, release } from "./attack-rig.ts";
import { type ServerPayment, serversForTests } from "./pay-servers.ts";

// The journal of an order is lost, copied or rolled back: the chain still knows the order.

const chain = chainForTests();
const servers = serversForTests(2);

/** Returns the folder in which the next process looks for the journal; `copy` was made before the order was called. */
type Damage = (folder: string, copy: string) => Promise<string | undefined>;

const damages: readonly [string, Damage][] = [
  ["lost", createFolder],
  ["not used again", async () => undefined],
  ["copied before", async (_, copy) => copy],
  [
    "rolled back",
    async (folder, copy) => {
      await rm(folder, { recursive: true });
      await cp(copy, folder, { recursive: true });
      return folder;
    },
  ],
];

/** A payer whose journal has an earlier order, and a copy of that journal. */
async function setUp(token: PaymentToken, isWallet: boolean) {
  const attack = await createAttack(chain(), token);
  const { tools, payer } = attack;
  const wallet = await createRpcProxy(tools.chain.rpc);
  const [folder, copy, earlier, orderId] = [
    await createFolder(),
    await createFolder(),
    attack.orderId("earlier"),
    attack.orderId(),
  ];
  const own = isWallet ? { walletUrl: wallet.url, address: payer.address } : { privateKey: payer.privateKey };
  const pay = async (server: number, order: string, options: Partial<ServerPayment>) => {
    const payment = { network: tools.network, token, amount: AMOUNT, orderId: order, ...own, ...options };
    const report = await servers.get(server).pay(payment);
    await attack.note({ orderId: order, hash: report.hash, code: report.code });
    return report;
  };
  await pay(0, earlier, { folder });
  await cp(folder, copy, { recursive: true });
  const prompts = () => wallet.count("eth_sendTransaction");
  return { attack, tools, pay, prompts, folder, copy, orders: [earlier, orderId], orderId };
}

const payers = [
  { token: "usdc" as const, payer: "a key", isWallet: false },
  { token: "usdc" as const, payer: "a wallet", isWallet: true },
];

describe.each(damages)("an order in tokens whose journal is %s", (_, damage) => {
  test.each(payers)("is not paid again once it is mined: $payer", async ({ token, isWallet }) => {
    const { attack, pay, folder, copy, orders, orderId } = await setUp(token, isWallet);
    const first = await pay(0, orderId, { folder });
    await mine(attack.tools, 20);
    const left = await damage(folder, copy);
    expect((await pay(1, orderId, { folder: left })).hash).toBe(first.hash);
    // Both processes, and what is left of the first one's journal.
    expect((await pay(0, orderId, { folder: left })).hash).toBe(first.hash);
    // Another order of the same amount is another payment.
    const other = attack.orderId("other");
    await pay(1, other, { folder: left });
    await expectPaidOnce(attack, [...orders, other]);
  });

  test.each(payers)("is not paid again while it is pending: $payer", async ({ token, isWallet }) => {
    const { attack, tools, pay, prompts, folder, copy, orders, orderId } = await setUp(token, isWallet);
    await hold(tools);
    const first = await pay(0, orderId, { folder, waitMs: 100 });
    expect(first.code).toBe("PAYMENT_TIMEOUT");
    const left = await damage(folder, copy);
    const asked = prompts();
    const busy = await pay(1, orderId, { folder: left, waitMs: 100 });
    const mined = Number(await tools.rpc("eth_getTransactionCount", attack.payer.address, "latest"));
    expect(busy).toMatchObject({ code: "PAYER_BUSY", details: { mined, pending: mined + 1 } });
    await release(tools);
    const { hash } = await pay(1, orderId, { folder: left });
    expect([hash, prompts()]).toEqual([first.details?.["hash"], asked]);
    await expectPaidOnce(attack, orders);
  });
});

test("an order is not paid again if one node shows its event, and only another one its transaction", async () => {
  const { attack, tools, pay, orders, orderId } = await setUp("usdc", false);
  const first = await pay(0, orderId, {});
  await mine(tools, 20);
  const half = await createRpcProxy(tools.chain.rpc, async ({ method, forward }) => {
    if (method === "eth_getTransactionByHash") throw new Broken();
    return forward();
  });
  const network = { ...tools.network, rpc: half.url, moreRpcs: [tools.chain.rpc] };
  expect((await pay(1, orderId, { network })).hash).toBe(first.hash);
  expect(half.count("eth_getTransactionByHash")).toBeGreaterThan(0);
  await expectPaidOnce(attack, orders);
});

test.each([
  ["refuses old states", () => Promise.reject(new NodeError(-32_000, "missing trie node"))],
  ["answers with its latest state", async (count: () => Promise<unknown>) => count()],
])("an order that another process pays during the search is not paid again: the node %s", async (_, readOld) => {
  const { attack, tools, pay, orders, orderId } = await setUp("usdc", false);
  let setPaid = (): void => undefined;
  const isPaid = new Promise<void>((resolve) => {
    setPaid = resolve;
  });
  const node = await createRpcProxy(tools.chain.rpc, async ({ method, params: [address, tag], nth, forward }) => {
    if (method === "eth_getTransactionCount" && String(tag).startsWith("0x")) {
      // As late as it can be.
      await Promise.race([isPaid, sleep(1_000)]);
      return readOld(() => tools.rpc(method, address, "latest"));
    }
    const result = await forward();
    if (method !== "eth_getLogs" || nth > 0) return result;
    await pay(1, orderId, {});
    setPaid();
    return result;
  });
  const late = await pay(0, orderId, { network: { ...tools.network, rpc: node.url } });
  expect([late.code, await tools.paid(attack.payer.address)]).toEqual([undefined, 2]);
  await expectPaidOnce(attack, orders);
});

test.each(payers)("an order whose journal is copied while it is pending is paid once: $payer", async (variant) => {
  const { attack, tools, pay, folder, orders, orderId } = await setUp(variant.token, variant.isWallet);
  await hold(tools);
  await pay(0, orderId, { folder, waitMs: 100 });
  const later = await createFolder();
  await cp(folder, later, { recursive: true });
  await release(tools);
  const [one, other] = await Promise.all([pay(0, orderId, { folder }), pay(1, orderId, { folder: later })]);
  expect(other.hash).toBe(one.hash);
  await expectPaidOnce(attack, orders);
});

describe.each(damages)("an order in coins whose journal is %s", (_, damage) => {
  test("is not paid again unless a person decides it", async () => {
    const { attack, tools, pay, folder, copy, orderId, orders } = await setUp("native", false);
    await hold(tools);
    const first = await pay(0, orderId, { folder, waitMs: 100 });
    const left = await damage(folder, copy);
    // The earlier order of the same amount makes it uncertain at once if nothing says that it is another one.
    const busy = await pay(1, orderId, { folder: left, waitMs: 100 });
    expect(busy.code).toMatch(/^(PAYER_BUSY|ORDER_UNCERTAIN)$/);
    await release(tools);
    const uncertain = await pay(1, orderId, { folder: left });
    expect(uncertain.code).toBe("ORDER_UNCERTAIN");
    expect(uncertain.message).toContain("searchBlocks: 0");
    expect(uncertain.details?.["hashes"]).toContain(first.details?.["hash"]);
    expect(uncertain.details?.["searched"]).toMatchObject({ toBlock: expect.any(Number) });
    expect([await attack.judge(orders), await tools.paid(attack.payer.address)]).toEqual([[], 2]);
    const other = attack.orderId("other");
    await pay(1, other, { folder: left, searchBlocks: 0 });
    expect(await tools.paid(attack.payer.address)).toBe(3);
  });
});

test("orders in coins of the same amount in one journal are all paid", async () => {
  const { attack, pay, folder, orders, orderId } = await setUp("native", false);
  await pay(0, orderId, { folder });
  await expectPaidOnce(attack, orders);
});
