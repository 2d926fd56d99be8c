import { afterEach, describe, expect, test } from "vitest";
import { UnfinishedError } from "../../src/base/errors/unfinished.ts";
import type { PayOptions, UnfinishedPayment } from "../../src/payment/index.ts";
import { payWithToken } from "../../src/payment/pay.ts";
import { failure } from "../support/failure.ts";
import { approveDirectly, captureHash, chainForTests, withRpc } from "./chain-tools.ts";
import { createRpcProxy, NodeError, type RpcCall } from "./rpc-proxy.ts";

const chain = chainForTests();
const SEND = "eth_sendRawTransaction";

afterEach(async () => {
  await chain().rpc("evm_setAutomine", true);
  await chain().rpc("anvil_mine", "0x1");
});

/** A payer, a node that can fail, and a payment of 1000 units through it. */
async function setUp(handler?: (call: RpcCall) => Promise<unknown>) {
  const tools = chain();
  const payer = await tools.payer("native");
  const proxy = await createRpcProxy(tools.chain.rpc, handler);
  const network = withRpc(tools.network, proxy.url);
  const { privateKey } = payer;
  const pay = (options: Partial<PayOptions> = {}) =>
    payWithToken({ network, token: "native", amount: 1000n, privateKey, pollMs: 5, ...options } as PayOptions);
  return { tools, payer, proxy, network, pay };
}

async function expectUnfinished(call: Promise<unknown>): Promise<UnfinishedPayment> {
  const error = await failure(call);
  expect(error).toBeInstanceOf(UnfinishedError);
  return error as UnfinishedPayment;
}

describe("a transaction that the node does not show until it is mined", () => {
  const hide = ({ method, forward }: RpcCall) =>
    method === "eth_getTransactionByHash" ? Promise.resolve(null) : forward();

  test("is paid, however often it was looked for", async () => {
    const { tools, payer, proxy, pay } = await setUp(hide);
    await tools.rpc("evm_setAutomine", false);
    const paying = pay();
    await expect.poll(() => proxy.count("eth_getTransactionReceipt")).toBeGreaterThan(30);
    await tools.rpc("anvil_mine", "0x1");
    await paying;
    expect(await tools.paid(payer.address)).toBe(1);
  });

  test("is not lost because blocks were mined without it for less than missingMs", async () => {
    const { tools, payer, proxy, pay } = await setUp(hide);
    await tools.rpc("evm_setAutomine", false);
    const { hash, onProgress } = captureHash("pay");
    const paying = pay({ onProgress });
    const raw = await tools.rpc("eth_getRawTransactionByHash", await hash);
    await tools.rpc("anvil_dropTransaction", await hash);
    await tools.rpc("anvil_mine", "0x28");
    const looks = proxy.count("eth_getTransactionReceipt");
    await expect.poll(() => proxy.count("eth_getTransactionReceipt")).toBeGreaterThan(looks + 20);
    await tools.rpc(SEND, raw);
    await tools.rpc("anvil_mine", "0x1");
    expect((await paying).hash).toBe(await hash);
    expect(await tools.paid(payer.address)).toBe(1);
  });
});

test("a node that fails for less than missingMs ends no payment", async () => {
  let failures = 0;
  const { tools, payer, pay } = await setUp(({ method, forward }) => {
    if (method !== "eth_getTransactionReceipt" || ++failures > 25) return forward();
    throw new NodeError(-32_000, "not now");
  });
  await pay();
  expect(failures).toBeGreaterThan(25);
  expect(await tools.paid(payer.address)).toBe(1);
});

test("the network's row names the confirmations, unless an option does", async () => {
  const { tools, payer, proxy, network, pay } = await setUp();
  const row = { ...network, confirmations: 3 };
  const { hash, onProgress } = captureHash("pay");
  let isOver = false;
  const paying = pay({ network: row, onProgress }).finally(() => {
    isOver = true;
  });
  await hash;
  await tools.rpc("anvil_mine", "0x1");
  const looks = proxy.count("eth_getTransactionReceipt");
  await expect.poll(() => proxy.count("eth_getTransactionReceipt")).toBeGreaterThan(looks + 10);
  expect(isOver).toBe(false);
  await tools.rpc("anvil_mine", "0x1");
  await paying;
  await pay({ network: row, confirmations: 1 });
  expect(await tools.paid(payer.address)).toBe(2);
});

describe("the search for the transaction that used a nonce", () => {
  const BLOCKS = 60;

  const isOld = ({ params }: RpcCall) => String(params[1]).startsWith("0x");

  /** Most nodes do not have the state of older blocks: the blocks themselves are searched then. */
  const withoutOldState = (handler: (call: RpcCall) => Promise<unknown>) => async (call: RpcCall) => {
    if (call.method === "eth_getTransactionCount" && isOld(call)) throw new NodeError(-32_000, "missing trie node");
    return handler(call);
  };

  /** A payment that is dropped, and whose nonce another transaction uses; then the chain grows. */
  async function replace(handler: (call: RpcCall) => Promise<unknown>, options: Partial<PayOptions> = {}) {
    return replaceIn(BLOCKS, withoutOldState(handler), options);
  }

  async function replaceIn(
    blocks: number,
    handler: (call: RpcCall) => Promise<unknown>,
    options: Partial<PayOptions> = {},
  ) {
    const { tools, payer, proxy, pay } = await setUp();
    await tools.rpc("evm_setAutomine", false);
    const { hash, onProgress } = captureHash("pay");
    const error = await expectUnfinished(pay({ onProgress, waitMs: 20 }));
    const latest = Number(await tools.rpc<string>("eth_blockNumber"));
    await tools.rpc("anvil_dropTransaction", await hash);
    await tools.rpc("anvil_mine", `0x${blocks.toString(16)}`);
    const { hash: by } = await payer.wallet.sendTransaction({ to: payer.address, nonce: 0 });
    await tools.rpc("anvil_mine", "0x5");
    proxy.methods.length = 0;
    const read: number[] = [];
    proxy.handle((call) => {
      if (call.method === "eth_getBlockByNumber" && call.params[1]) read.push(Number(call.params[0]) - latest);
      return handler(call);
    });
    const resumed = await expectUnfinished(error.resume({ missingMs: 100, waitMs: 600_000, ...options }));
    return { error: resumed, by, read, proxy };
  }

  const isBlock = ({ method, params }: RpcCall, nth: number, latest: number) =>
    method === "eth_getBlockByNumber" && Number(params[0]) === latest + nth;

  test("finds it, and reads hardly any block twice although one call in nine is refused", async () => {
    let calls = 0;
    const { error, by, read } = await replace((call) => {
      if (call.method === "eth_getBlockByNumber" && ++calls % 9 === 0) throw new NodeError(-32_005, "limit exceeded");
      return call.forward();
    });
    expect([error.code, error.details["replacementHash"]]).toEqual(["PAYMENT_REPLACED", by]);
    expect(read.length).toBeLessThan(1.5 * BLOCKS);
  });

  test("does not take a block that the node refuses for empty", async () => {
    const latest = Number(await chain().rpc<string>("eth_blockNumber"));
    const { error, proxy, by } = await replace((call) => {
      if (isBlock(call, BLOCKS + 1, latest)) throw new NodeError(-32_000, "the block is not available");
      return call.forward();
    });
    expect([error.code, error.details["replacementHash"]]).toEqual(["RPC_REFUSED", undefined]);
    proxy.handle();
    const found = await expectUnfinished(error.resume());
    expect([found.code, found.details["replacementHash"]]).toEqual(["PAYMENT_REPLACED", by]);
  });

  test.each([
    ["refuses them", () => Promise.reject(new NodeError(1, "requested epoch was a null round"))],
    ["returns null", async () => null],
  ])("passes over heights without a block, as Filecoin has them, if the node %s", async (_, respond) => {
    const latest = Number(await chain().rpc<string>("eth_blockNumber"));
    const { error, by } = await replace((call) => (isBlock(call, 7, latest) ? respond() : call.forward()));
    expect([error.code, error.details["replacementHash"]]).toEqual(["PAYMENT_REPLACED", by]);
  });

  test("does not take blocks that the node does not have yet for empty", async () => {
    const latest = Number(await chain().rpc<string>("eth_blockNumber"));
    const { error, proxy, by } = await replace(async (call) => {
      const isLate = call.method === "eth_getBlockByNumber" && Number(call.params[0]) > latest + BLOCKS;
      return isLate ? null : call.forward();
    });
    expect([error.code, error.details["replacementHash"]]).toEqual(["INVALID_RESPONSE", undefined]);
    proxy.handle();
    const found = await expectUnfinished(error.resume());
    expect([found.code, found.details["replacementHash"]]).toEqual(["PAYMENT_REPLACED", by]);
  });

  test("reads only the block that the payer's count shows, where the node has it for older blocks", async () => {
    const { error, by, read } = await replaceIn(1_000, (call) => call.forward());
    expect([error.code, error.details["replacementHash"]]).toEqual(["PAYMENT_REPLACED", by]);
    expect(read).toEqual([1_001]);
  });

  test.each([
    ["that is one less", async (call: RpcCall) => `0x${Math.max(0, Number(await call.forward()) - 1).toString(16)}`],
    ["that is none", async () => "many"],
    ["of its latest block", async () => "0x1"],
  ])("does not believe a count %s", async (_, respond) => {
    const { error, by } = await replace((call) => call.forward());
    const lying = await replaceIn(100, (call) =>
      call.method === "eth_getTransactionCount" && isOld(call) ? respond(call) : call.forward(),
    );
    expect([error.details["replacementHash"], lying.error.details["replacementHash"]]).toEqual([by, lying.by]);
  });

  test("ends when the time is up, in the middle of the blocks", async () => {
    const { error, read } = await replace(
      async (call) => {
        if (call.method === "eth_getBlockByNumber") await new Promise((resolve) => setTimeout(resolve, 50));
        return call.forward();
      },
      { waitMs: 100 },
    );
    expect(error.code).toBe("PAYMENT_TIMEOUT");
    expect(read.length).toBeLessThan(BLOCKS / 2);
  });
});

test("what a wallet failed to send is asked for again, without a look at every block since", async () => {
  const tools = chain();
  const payer = await tools.payer("usdc");
  await tools.rpc("anvil_impersonateAccount", payer.address);
  await approveDirectly(tools, payer, "usdc", 1_000n);
  const read: unknown[] = [];
  const proxy = await createRpcProxy(tools.chain.rpc, async ({ method, params, forward }) => {
    if (method === "eth_getBlockByNumber" && params[1]) read.push(params[0]);
    return forward();
  });
  let asked = 0;
  const request = async ({ method, params = [] }: { method: string; params?: unknown }): Promise<unknown> => {
    if (method === "eth_requestAccounts") return [payer.address];
    if (method === "eth_sendTransaction" && ++asked === 1) throw new NodeError(-32_603, "the wallet failed");
    return tools.rpc(method, ...(params as unknown[]));
  };
  const network = withRpc(tools.network, proxy.url);
  const options = { network, token: "usdc", amount: 1_000n, pollMs: 5, missingMs: 50 } as const;
  const paying = payWithToken({ ...options, signer: { request }, orderId: "asked again" });
  const error = await expectUnfinished(paying);
  for (let other = 0; other < 3; other++) {
    await payer.wallet.sendTransaction({ to: payer.address });
    await tools.rpc("anvil_mine", "0x12c");
  }
  read.length = 0;
  expect(await error.resume()).toMatchObject({ from: payer.address });
  expect([asked, await tools.paid(payer.address)]).toEqual([2, 1]);
  expect(new Set(read).size).toBeLessThan(10);
});
