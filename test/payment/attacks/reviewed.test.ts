import { setTimeout as sleep } from "node:timers/promises";
import { inspect } from "node:util";
import { hexlify, Interface, randomBytes } from "ethers";
import { expect, test } from "vitest";
import type { PaymentToken } from "../../../src/base/config/networks.ts";
import { createOrder, openJournal, payWithToken } from "../../../src/index.ts";
import { approveDirectly, chainForTests, withRpc } from "../chain-tools.ts";
import { createFolder } from "../child-rig.ts";
import { createRpcProxy, forwardTo, NodeError, type RpcCall } from "../rpc-proxy.ts";
import { sendBundle, toSmartAccount } from "../smart-account.ts";
import * as rig from "./attack-rig.ts";

// What broke orders once, each in a way of its own.

const { AMOUNT, expectPaidOnce, FINALITY, mine } = rig;
const chain = chainForTests();

async function setUp(token: PaymentToken = "usdc") {
  const attack = await rig.createAttack(chain(), token);
  const viaProxy = async (handle: (call: RpcCall) => Promise<unknown>) =>
    withRpc(attack.tools.network, (await createRpcProxy(attack.tools.chain.rpc, handle)).url);
  return { ...attack, attack, viaProxy, id: attack.orderId(), folder: await createFolder() };
}

/** Forgets what this process remembers of payments, as another process would not know it. */
function forget(): void {
  const values = (globalThis as unknown as Record<symbol, Map<string, object>>)[Symbol.for("keeplight.shared")];
  for (const value of values?.values() ?? []) if (value instanceof Map) value.clear();
}

/** Returns what removes all transactions from now on for good: another one uses the payer's nonce. */
async function beforeLoss({ tools, payer: { address } }: rig.Attack): Promise<() => Promise<void>> {
  const undo = await rig.beforeReorganisation(tools);
  return async () => {
    await undo(1);
    await tools.rpc("eth_sendTransaction", { from: address, to: address });
    await mine(tools, FINALITY + 2);
    forget();
  };
}

test("an order that was signed for a nonce used long ago is paid in the end", async () => {
  const { attack, tools, id, folder, viaProxy, pay } = await setUp();
  const earlier = attack.orderId("earlier");
  await pay(earlier);
  await mine(tools, 50);
  const network = await viaProxy(async ({ method, forward }) => {
    const result = await forward();
    return method === "eth_getTransactionCount" ? `0x${(Number(result) - 1).toString(16)}` : result;
  });
  expect((await pay(id, { folder, network, waitMs: 300 })).hash).toBeUndefined();
  for (let calls = 0; calls < 2; calls++) {
    await mine(tools, FINALITY + 1);
    await pay(id, { folder });
  }
  await expectPaidOnce(attack, [earlier, id]);
});

const calls = new Interface([
  "function receiveToken(uint256 amount, address token)",
  "function tryExecute(address[] to, uint256[] value, bytes[] data)",
]);

/** A bundle that pays `amount` for order `b`; too little is approved for the call of order `a` in it, which fails. */
async function makeBundle(amount: bigint) {
  const { tools, payer, pay } = await setUp();
  const { contract, tokens } = tools.network;
  const encode = (orderId: string, value: bigint) =>
    calls.encodeFunctionData("receiveToken", [value, tokens.usdc?.address]) + rig.markOf(orderId);
  await approveDirectly(tools, payer, "usdc", amount);
  await toSmartAccount(tools, payer);
  const [a, b] = [`a of ${payer.address}`, `b of ${payer.address}`];
  const failing = calls.encodeFunctionData("tryExecute", [[contract], [0], [encode(a, AMOUNT)]]);
  const bundle = [encode(b, amount), failing].map((data, at) => ({ to: at === 0 ? contract : payer.address, data }));
  const hash = await sendBundle(tools, payer.address, bundle, "execute");
  await approveDirectly(tools, payer, "usdc", 10n * AMOUNT);
  return { pay, a, b, hash, paid: () => tools.paid(payer.address) };
}

test("a bundle in which one of two orders failed is reported as the payment of neither", async () => {
  const { pay, a, b, hash, paid } = await makeBundle(AMOUNT);
  for (const orderId of [a, b]) {
    const { code, error } = await pay(orderId);
    expect([code, error?.details["hashes"]]).toEqual(["ORDER_UNCERTAIN", [hash]]);
  }
  expect(await paid()).toBe(1);
});

test("an order that failed in a bundle is paid if the bundle paid another amount", async () => {
  const { pay, a, hash, paid } = await makeBundle(AMOUNT + 1n);
  const [first, again] = [await pay(a), await pay(a)];
  expect([first.code, again.hash, await paid()]).toEqual([undefined, first.hash, 2]);
  expect(first.hash).not.toBe(hash);
});

test("an order that is renewed after it was paid is not paid again", async () => {
  const { tools, payer, id: orderId } = await setUp();
  const pay = async () => {
    const order = await createOrder({ orderId, network: tools.network, token: "usdc", amount: AMOUNT });
    return payWithToken({ network: tools.network, order, privateKey: payer.privateKey, pollMs: 5 });
  };
  const { hash } = await pay();
  forget();
  await mine(tools, 50);
  expect([(await pay()).hash, await tools.paid(payer.address)]).toEqual([hash, 1]);
});

test("coins of an account with code are requested again after the user rejected them", async () => {
  const { attack, tools, payer, id, folder, pay } = await setUp("native");
  await tools.rpc("anvil_setCode", payer.address, `0xef0100${"11".repeat(20)}`);
  const signer = attack.createWallet(async (call, nth) => {
    if (nth === 0) throw Object.assign(new Error("rejected"), { code: 4001 });
    return attack.submit(call);
  });
  expect((await pay(id, { folder, signer })).code).toBe("PAYMENT_REJECTED");
  await mine(tools, 2);
  await pay(id, { folder, signer });
  await expectPaidOnce(attack, [id]);
  expect(signer.prompts).toBe(2);
});

test.each([false, true])("a wallet that failed is not asked again before 12 blocks (node down: %s)", async (isDown) => {
  const { attack, tools, id, folder, viaProxy, pay } = await setUp();
  let isFailing = false;
  const { rpc } = await viaProxy(async ({ method, params, forward }) => {
    if (isFailing) throw new NodeError(-32_000, "upstream failed");
    // Nodes need not know what is pending at others.
    if (method !== "eth_getTransactionCount") return forward();
    return forwardTo(tools.chain.rpc, method, [params[0], "latest"]);
  });
  const signer = attack.createWallet(async (call) => {
    // Its window is open for longer than that.
    await mine(tools, 20);
    await rig.hold(tools);
    await attack.submit(call);
    isFailing = isDown;
    throw new Error("lost connection");
  });
  const options = { folder, signer, rpc, waitMs: 1_000, missingMs: 60_000 };
  expect((await pay(id, options)).hash).toBeUndefined();
  isFailing = false;
  expect((await pay(id, options)).hash).toBeUndefined();
  expect(signer.prompts).toBe(1);
  await rig.release(tools);
  await pay(id, options);
  await expectPaidOnce(attack, [id]);
});

test.each([
  ["the path of a URL", "https://node.example/v3/SECRET"],
  ["the login of a URL", "https://user:SECRET@node.example"],
  ["both of them", "WSS://SECRET@node.example/v2?key=SECRET"],
])("a wallet's error does not show a secret in %s", async (_, url) => {
  const { id, createWallet, pay } = await setUp();
  const signer = createWallet(() => Promise.reject(new Error(`request to ${url} failed, reason: ECONNREFUSED`)));
  const shown = inspect((await pay(id, { signer })).error, { depth: null, showHidden: true });
  expect([shown.includes("node.example failed, reason"), shown.includes("SECRET")]).toEqual([true, false]);
});

test("a payment is resumed with the node of the latest call", async () => {
  const { attack, tools, id, folder } = await setUp();
  const hide = async ({ method, forward }: RpcCall) => (method === "eth_getTransactionReceipt" ? null : forward());
  const [first, second] = [await createRpcProxy(tools.chain.rpc, hide), await createRpcProxy(tools.chain.rpc, hide)];
  const pay = (rpc: string) => attack.pay(id, { folder, network: withRpc(tools.network, rpc), waitMs: 100 });
  await pay(first.url);
  first.handle(() => Promise.reject(new NodeError(-32_000, "gone")));
  const told = await pay(second.url);
  second.handle();
  await attack.resume(told);
  await expectPaidOnce(attack, [id]);
});

test("another account is not asked for an order of which the chain lost the payment", async () => {
  const [{ attack, id, folder, pay }, other] = [await setUp(), await setUp()];
  const lose = await beforeLoss(attack);
  await pay(id, { folder });
  await lose();
  const signer = other.createWallet(other.submit);
  const { code } = await other.pay(id, { folder, signer });
  expect([code, signer.prompts]).toEqual(["INVALID_OPTION", 0]);
  await pay(id, { folder });
  await expectPaidOnce(attack, [id]);
});

test("an order whose payment was found on the chain is paid again after the chain lost it", async () => {
  const { attack, id, folder, pay } = await setUp();
  const lose = await beforeLoss(attack);
  const { hash } = await pay(id);
  forget();
  expect((await pay(id, { folder })).hash).toBe(hash);
  await lose();
  await pay(id, { folder });
  await expectPaidOnce(attack, [id]);
});

test("an approval is requested again if no node knows the hash that a wallet returned", async () => {
  const { attack, tools, payer, id, pay } = await setUp();
  await approveDirectly(tools, payer, "usdc", 0n);
  const signer = attack.createWallet(async (call, nth) => (nth === 0 ? hexlify(randomBytes(32)) : attack.submit(call)));
  await pay(id, { signer });
  await expectPaidOnce(attack, [id]);
  expect(signer.prompts).toBe(3);
});

test("a paid order whose transaction moved to another block is reported with the new one", async () => {
  const { tools, payer, id: orderId, folder } = await setUp();
  const undo = await rig.beforeReorganisation(tools);
  const options = { network: tools.network, token: "usdc", amount: AMOUNT, orderId, pollMs: 5 } as const;
  const journal = await openJournal({ folder });
  const pay = () => payWithToken({ ...options, privateKey: payer.privateKey, journal });
  const before = await pay();
  const raw = await tools.rpc("eth_getRawTransactionByHash", before.hash);
  await undo(5);
  await tools.rpc("eth_sendRawTransaction", raw);
  await mine(tools, 1);
  const { blockNumber } = await tools.rpc<{ blockNumber: string }>("eth_getTransactionReceipt", before.hash);
  expect(Number(blockNumber)).not.toBe(before.block);
  expect(await pay()).toMatchObject({ hash: before.hash, block: Number(blockNumber) });
});

const refusals = ["transaction underpriced: gas tip cap 1, minimum needed 25000000000", "unknown account"];
test.each(refusals)("a node's refusal to broadcast is thrown: %s", async (refusal) => {
  const { id, viaProxy, pay } = await setUp();
  const refuse = () => Promise.reject(new NodeError(-32_000, refusal));
  const network = await viaProxy(({ method, forward }) => (/sendRaw/.test(method) ? refuse() : forward()));
  const { code, error } = await pay(id, { network, waitMs: 500 });
  expect([code, error?.message]).toEqual(["RPC_REFUSED", expect.stringContaining(refusal)]);
});

/** What a node does that is to search many blocks for events. */
const searches: Record<string, (filter: object) => Promise<unknown>> = {
  "ignores topics": (filter) => chain().rpc("eth_getLogs", { ...filter, topics: [] }),
  refuses: () => Promise.reject(new NodeError(-32_000, "query exceeds max block range 150")),
  "sends too many bytes": async () => "x".repeat(60_000_000),
  "does not respond": () => sleep(2_500),
};
test.each(Object.keys(searches))("an order with the id of another payer's is paid if the node %s", async (name) => {
  const [one, { attack, tools, id, viaProxy, pay }] = [await setUp(), await setUp()];
  await mine(tools, 200);
  await one.pay(id);
  forget();
  const network = await viaProxy(async ({ method, params, forward }) => {
    if (method !== "eth_getLogs") return forward();
    const [filter] = params as [{ fromBlock: string; toBlock: string }];
    const last = filter.toBlock === "latest" ? await tools.rpc("eth_blockNumber") : filter.toBlock;
    return Number(last) - Number(filter.fromBlock) < 150 ? forward() : searches[name]?.(filter);
  });
  await pay(id, { network, searchBlocks: 200, timeoutMs: 2_000 });
  await expectPaidOnce(attack, [id]);
});
