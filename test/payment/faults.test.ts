import { inspect } from "node:util";
import { Interface, id } from "ethers";
import { afterEach, describe, expect, test } from "vitest";
import type { PaymentToken } from "../../src/base/config/networks.ts";
import type { KeeplightError } from "../../src/base/errors/base.ts";
import { UnfinishedError } from "../../src/base/errors/unfinished.ts";
import type { PayOptions, UnfinishedPayment } from "../../src/payment/index.ts";
import { payWithToken } from "../../src/payment/pay.ts";
import { failure } from "../support/failure.ts";
import { approve, captureHash, chainForTests, type Payer, withRpc } from "./chain-tools.ts";
import { Broken, createRpcProxy, NodeError, Reply, type RpcCall } from "./rpc-proxy.ts";

const chain = chainForTests();
const quick = { pollMs: 10, missingMs: 100 };
const SEND = "eth_sendRawTransaction";
const RECEIPT = "eth_getTransactionReceipt";

afterEach(async () => {
  await chain().rpc("evm_setAutomine", true);
  await chain().rpc("anvil_mine", "0x1");
});

const dead = async (): Promise<never> => {
  throw new Broken();
};

/** A payer, a node that can fail, and a payment of 1000 units through it. */
async function setUp(token: PaymentToken, handler?: (call: RpcCall) => Promise<unknown>) {
  const tools = chain();
  const payer = await tools.payer();
  const proxy = await createRpcProxy(tools.chain.rpc, handler);
  const pay = (options: Partial<PayOptions> = {}) =>
    payWithToken({
      network: withRpc(tools.network, proxy.url),
      token,
      amount: 1000n,
      privateKey: payer.privateKey,
      ...quick,
      ...options,
    } as PayOptions);
  return { tools, payer, proxy, pay };
}

/** An error that can be resumed, and shows no key in any way of printing it. */
async function expectUnfinished(call: Promise<unknown>, payer: Payer): Promise<UnfinishedPayment> {
  const error = await failure(call);
  expect(error).toBeInstanceOf(UnfinishedError);
  expectNoKey(error, payer);
  return error as UnfinishedPayment;
}

function expectNoKey(error: KeeplightError, { privateKey }: Payer): void {
  const shown = inspect(error, { depth: 20, showHidden: true, getters: true }) + JSON.stringify(error) + error.stack;
  expect(shown.toLowerCase()).not.toContain(privateKey.slice(2));
}

describe("the node dies", () => {
  test.each(["eth_chainId", "eth_getBlockByNumber", "eth_estimateGas", "eth_getTransactionCount"])(
    "before anything is sent, at %s: nothing is paid and there is nothing to resume",
    async (method) => {
      const { tools, payer, pay } = await setUp("native", (call) => (call.method === method ? dead() : call.forward()));
      const error = await failure(pay());
      expect([error.code, error.details["method"]]).toEqual(["NETWORK", method]);
      expect(error).not.toBeInstanceOf(UnfinishedError);
      expectNoKey(error, payer);
      expect(await tools.paid(payer.address)).toBe(0);
    },
  );

  test("between approval and payment: resume continues without another approval", async () => {
    const { tools, payer, proxy, pay } = await setUp("usdt", (call) =>
      isAfterApproval(call) ? dead() : call.forward(),
    );
    const isAfterApproval = ({ method }: RpcCall) => method === "eth_estimateGas" && proxy.count(SEND) > 0;
    const error = await expectUnfinished(pay(), payer);
    expect(error.code).toBe("NETWORK");
    expect(error.details["transactions"]).toMatchObject([{ step: "approve" }]);
    proxy.handle();
    const payment = await error.resume();
    expect(payment.transactions.map(({ step }) => step)).toEqual(["approve", "pay"]);
    expect(proxy.count(SEND)).toBe(2);
    expect(await tools.paid(payer.address)).toBe(1);
  });

  test("after accepting the transaction: the error has the hash, and resume finds it", async () => {
    let isDead = false;
    const { tools, payer, proxy, pay } = await setUp("native", async (call) => {
      if (isDead) throw new Broken();
      if (call.method !== SEND) return call.forward();
      await call.forward();
      isDead = true;
      throw new Broken();
    });
    const error = await expectUnfinished(pay(), payer);
    expect([error.code, error.details["step"]]).toEqual(["NETWORK", "pay"]);
    const sent = proxy.count(SEND);
    proxy.handle();
    const payment = await error.resume();
    expect(payment.hash).toBe(error.details["hash"]);
    expect(proxy.count(SEND)).toBe(sent);
    expect(await tools.paid(payer.address)).toBe(1);
  });

  test("while accepting it, and recovers: paid, without an error", async () => {
    const { tools, payer, pay } = await setUp("native", async (call) => {
      const result = await call.forward();
      if (call.method === SEND) throw new Broken();
      return result;
    });
    await pay();
    expect(await tools.paid(payer.address)).toBe(1);
  });

  test("before accepting the transaction: dropped, and resume sends the same one again", async () => {
    const { tools, payer, proxy, pay } = await setUp("dai", (call) =>
      call.method === SEND && call.nth > 0 ? dead() : call.forward(),
    );
    const error = await expectUnfinished(pay(), payer);
    expect(error.code).toBe("PAYMENT_DROPPED");
    const sent = proxy.count(SEND);
    proxy.handle();
    const payment = await error.resume();
    expect(payment.hash).toBe(error.details["hash"]);
    expect(proxy.count(SEND)).toBe(sent + 1);
    expect(await tools.paid(payer.address)).toBe(1);
  });

  test("while a transaction is pending: the error has the hash, and resume continues to wait", async () => {
    const { tools, payer, proxy, pay } = await setUp("native");
    await tools.rpc("evm_setAutomine", false);
    const { hash, onProgress } = captureHash("pay");
    const paying = expectUnfinished(pay({ onProgress }), payer);
    await hash;
    proxy.handle(dead);
    const error = await paying;
    expect([error.code, error.details["hash"]]).toEqual(["NETWORK", await hash]);
    await tools.rpc("anvil_mine", "0x1");
    // another node will do
    expect((await error.resume({ rpc: tools.chain.rpc })).hash).toBe(await hash);
    expect(await tools.paid(payer.address)).toBe(1);
  });

  test("intermittently: still paid", async () => {
    const { tools, payer, pay } = await setUp("native", (call) =>
      /Receipt|ByHash/.test(call.method) && call.nth % 3 !== 2 ? dead() : call.forward(),
    );
    await pay();
    expect(await tools.paid(payer.address)).toBe(1);
  });

  test("without responding: each request has its time limit", async () => {
    const { pay } = await setUp("native", ({ method, forward }) =>
      method === "eth_getBalance" ? new Promise(() => undefined) : forward(),
    );
    const error = await failure(pay({ timeoutMs: 1_000 }));
    expect([error.code, error.details["method"]]).toEqual(["TIMEOUT", "eth_getBalance"]);
  });
});

describe("a transaction", () => {
  test("that is dropped throws, and resume sends the same one again", async () => {
    const { tools, payer, pay } = await setUp("native");
    await tools.rpc("evm_setAutomine", false);
    const { hash, onProgress } = captureHash("pay");
    const paying = expectUnfinished(pay({ onProgress }), payer);
    await tools.rpc("anvil_dropTransaction", await hash);
    const error = await paying;
    expect([error.code, error.details["hash"]]).toEqual(["PAYMENT_DROPPED", await hash]);
    await tools.rpc("evm_setAutomine", true);
    expect((await error.resume()).hash).toBe(await hash);
    expect(await tools.paid(payer.address)).toBe(1);
  });

  test("whose nonce the node counts before it shows the block has not been replaced", async () => {
    let looks = 0;
    const { tools, payer, proxy, pay } = await setUp("native", async ({ method, forward }) => {
      const result = await forward();
      if (proxy.count(SEND) === 0 || looks > 3) return result;
      if (method === "eth_getTransactionReceipt") looks += 1;
      if (/Receipt|ByHash/.test(method)) return null;
      // The block before it is the latest one.
      if (method === "eth_blockNumber") return `0x${(Number(result) - 1).toString(16)}`;
      return method === "eth_getBlockByNumber" && JSON.stringify(result).includes(payer.address) ? null : result;
    });
    // The chain stands still: on a busy machine the shortest wait would be over before the node shows the block.
    expect((await pay({ missingMs: 10_000 })).hash).toMatch(/^0x/);
    expect([looks, await tools.paid(payer.address)]).toEqual([4, 1]);
  });

  test("that is replaced by another one throws, and stays unpaid however often it is resumed", async () => {
    const { tools, payer, proxy, pay } = await setUp("native");
    await tools.rpc("evm_setAutomine", false);
    const { hash, onProgress } = captureHash("pay");
    const paying = expectUnfinished(pay({ onProgress }), payer);
    await hash;
    const fees = { maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 10n ** 11n };
    const cancel = await payer.wallet.sendTransaction({ to: payer.address, nonce: 0, ...fees });
    await tools.rpc("anvil_mine", "0x1");
    const error = await paying;
    expect(error.details).toMatchObject({ hash: await hash, replacementHash: cancel.hash });
    const again = await expectUnfinished(error.resume(), payer);
    expect([error.code, again.code]).toEqual(["PAYMENT_REPLACED", "PAYMENT_REPLACED"]);
    expect(proxy.count(SEND)).toBe(2);
    expect(await tools.paid(payer.address)).toBe(0);
  });

  test("that is repriced elsewhere is not what was signed here: its hash is reported", async () => {
    const { tools, payer, pay } = await setUp("native");
    await tools.rpc("evm_setAutomine", false);
    const { hash, onProgress } = captureHash("pay");
    const paying = expectUnfinished(pay({ onProgress }), payer);
    await hash;
    const fees = { maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 10n ** 11n };
    const { contract } = tools.network;
    const faster = await payer.wallet.sendTransaction({ to: contract, value: 1000n, nonce: 0, ...fees });
    await tools.rpc("anvil_mine", "0x1");
    const { code, details } = await paying;
    expect([code, details["replacementHash"]]).toEqual(["PAYMENT_REPLACED", faster.hash]);
    expect(await tools.paid(payer.address)).toBe(1);
  });

  test("that a reorganisation removed throws, and resume sends it again", async () => {
    const { tools, payer, proxy, pay } = await setUp("native");
    const snapshot = await tools.rpc("evm_snapshot");
    const { hash, onProgress } = captureHash("pay");
    const paying = expectUnfinished(pay({ onProgress, confirmations: 3 }), payer);
    await hash;
    await expect.poll(() => tools.paid(payer.address)).toBe(1);
    const receipts = proxy.count(RECEIPT);
    // One that was requested later has arrived once another is requested.
    await expect.poll(() => proxy.count(RECEIPT)).toBeGreaterThan(receipts + 1);
    await tools.rpc("evm_revert", snapshot);
    const error = await paying;
    expect([error.code, error.details["hash"]]).toEqual(["PAYMENT_REORGANISED", await hash]);
    expect(await tools.paid(payer.address)).toBe(0);
    const resumed = error.resume({ confirmations: 2 });
    await expect.poll(() => tools.paid(payer.address)).toBe(1);
    await tools.rpc("anvil_mine", "0x1");
    expect((await resumed).hash).toBe(await hash);
  });

  test("that moves to another block in a reorganised chain is paid", async () => {
    const { tools, payer, pay } = await setUp("native");
    const { hash, onProgress } = captureHash("pay");
    const paying = pay({ onProgress, confirmations: 3 });
    await expect.poll(() => tools.paid(payer.address)).toBe(1);
    const getBlockNumber = async () =>
      Number((await tools.rpc<{ blockNumber: string }>("eth_getTransactionReceipt", await hash)).blockNumber);
    const before = await getBlockNumber();
    const raw = await tools.rpc("eth_getRawTransactionByHash", await hash);
    await tools.rpc("anvil_mine", "0x1");
    await tools.rpc("anvil_reorg", 2, [[raw, 1]]);
    expect(await getBlockNumber()).toBe(before + 1);
    await tools.rpc("anvil_mine", "0x2");
    expect(await paying).toMatchObject({ hash: await hash, block: before + 1 });
    expect(await tools.paid(payer.address)).toBe(1);
  });

  test("that is dropped, and whose nonce another payment of the same amount uses, does not count as paid", async () => {
    const { tools, payer, pay } = await setUp("native");
    await tools.rpc("evm_setAutomine", false);
    const { hash, onProgress } = captureHash("pay");
    const paying = expectUnfinished(pay({ onProgress }), payer);
    await tools.rpc("anvil_dropTransaction", await hash);
    const error = await paying;
    await tools.rpc("evm_setAutomine", true);
    // With the same fees and nonce it would be the same transaction.
    const other = await pay();
    const again = await expectUnfinished(error.resume(), payer);
    expect([error.code, again.code]).toEqual(["PAYMENT_DROPPED", "PAYMENT_REPLACED"]);
    expect(await tools.paid(payer.address)).toBe(1);
    expect(other.hash).not.toBe(await hash);
    expect(again.details["replacementHash"]).toBe(other.hash);
  });

  test("that is not mined in time throws, and resume continues to wait", async () => {
    const { tools, payer, pay } = await setUp("native");
    await tools.rpc("evm_setAutomine", false);
    const error = await expectUnfinished(pay({ waitMs: 50 }), payer);
    expect([error.code, error.details["waitMs"]]).toEqual(["PAYMENT_TIMEOUT", 50]);
    await tools.rpc("anvil_mine", "0x1");
    expect((await error.resume()).hash).toBe(error.details["hash"]);
    expect(await tools.paid(payer.address)).toBe(1);
  });

  test("that is aborted while pending ends without another poll, and resume continues to wait", async () => {
    const { tools, payer, proxy, pay } = await setUp("native");
    await tools.rpc("evm_setAutomine", false);
    const { hash, onProgress } = captureHash("pay");
    const controller = new AbortController();
    const paying = expectUnfinished(pay({ onProgress, signal: controller.signal, pollMs: 3_600_000 }), payer);
    await hash;
    await expect.poll(() => proxy.count(RECEIPT)).toBe(1);
    controller.abort();
    // The next poll would be after this test's time limit.
    const error = await paying;
    expect([error.code, error.details["hash"]]).toEqual(["ABORTED", await hash]);
    await tools.rpc("anvil_mine", "0x1");
    expect((await error.resume()).hash).toBe(await hash);
  });

  test("that reverts when mined throws with reason and hash, and is over once that is final", async () => {
    const { tools, payer, proxy, pay } = await setUp("usdc");
    await approve(tools, payer, "usdc", 1000n);
    await tools.rpc("evm_setAutomine", false);
    const { hash, onProgress } = captureHash("pay");
    const paying = failure(pay({ onProgress }));
    await hash;
    const owner = await tools.owner();
    const abi = new Interface(["function updateERC20Token(address, bool)"]);
    const update = async (supported: boolean) => {
      const data = abi.encodeFunctionData("updateERC20Token", [tools.network.tokens.usdc?.address, supported]);
      await tools.rpc("eth_sendTransaction", {
        from: owner,
        to: tools.network.contract,
        data,
        gasPrice: "0x174876e800",
      });
      await tools.rpc("anvil_mine", "0x1");
    };
    await update(false);
    const error = await paying;
    await update(true);
    expect(error.message).toBe("The transaction was reverted (pay): the payment contract does not accept this token");
    expect(error.details).toMatchObject({ hash: await hash, error: "TOKEN_NOT_SUPPORTED" });
    // A reorganisation may still undo it.
    const resume = () => failure((error as UnfinishedPayment).resume());
    expect([error, await resume()].map((each) => each instanceof UnfinishedError)).toEqual([true, true]);
    await tools.rpc("anvil_mine", "0x41");
    expect(await resume()).not.toBeInstanceOf(UnfinishedError);
    expect(proxy.count(SEND)).toBe(1);
    expect(await tools.paid(payer.address)).toBe(0);
  });

  test("whose nonce is already used throws", async () => {
    const { tools, payer, proxy, pay } = await setUp("native", async (call) => {
      const result = await call.forward();
      return call.method === "eth_getTransactionCount" && proxy.count(SEND) === 0 ? "0x0" : result;
    });
    const other = await payer.wallet.sendTransaction({ to: payer.address });
    await other.wait();
    const error = await expectUnfinished(pay(), payer);
    expect([error.code, error.details["replacementHash"]]).toEqual(["PAYMENT_REPLACED", other.hash]);
    expect(await tools.paid(payer.address)).toBe(0);
  });
});

test("no error shows a key in a node's URL, regardless of the node's response", async () => {
  const secret = "project-key-0123456789";
  const handlers = [
    dead,
    async () => {
      throw new NodeError(-32_000, "no");
    },
    async () => ({ not: "a quantity" }),
    async () => {
      throw new NodeError(-32_000, `${"x".repeat(185)} ${secret} is over its quota`);
    },
    async () => {
      throw new Reply({ message: `${secret} is not a project` }, 401);
    },
  ];
  for (const handler of handlers) {
    const { payer, proxy, pay } = await setUp("native", handler);
    const error = await failure(pay({ rpc: `${proxy.url}/v3/${secret}?key=${secret}` }));
    expect(error.details["method"]).toBe("eth_chainId");
    expect(proxy.methods).not.toContain("eth_estimateGas");
    expect(inspect(error, { depth: 20, showHidden: true }) + error.stack).not.toContain(secret.slice(0, 12));
    expectNoKey(error, payer);
  }
});

test("options of resume are checked like those of the payment", async () => {
  const { tools, payer, proxy, pay } = await setUp("native", (call) =>
    call.method === SEND || /Receipt|ByHash/.test(call.method) ? dead() : call.forward(),
  );
  const other = await tools.payer("native");
  const error = await expectUnfinished(pay(), payer);
  proxy.handle();
  for (const [option, wrong] of [
    ["rpc", { rpc: "ws://127.0.0.1:1" }],
    ["waitMs", { waitMs: 0 }],
    ["timeoutMs", { timeoutMs: -1 }],
    ["signer", { signer: {} as Payer["wallet"] }],
    ["signer", { signer: other.wallet }],
    ["signer", { signer: { request: async () => [other.address] } }],
  ] as const) {
    const refused = await failure(error.resume(wrong));
    expect([refused.code, refused.details["option"]]).toEqual(["INVALID_OPTION", option]);
  }
  expect(await tools.paid(payer.address)).toBe(0);
  const signer = { request: async () => [other.address, payer.wallet.address] };
  await error.resume({ signer, rpc: proxy.url });
  expect(await tools.paid(payer.address)).toBe(1);
});

test("an approval that the token does not store throws", async () => {
  const { tools, payer, pay } = await setUp("usdc", async (call) => {
    const result = await call.forward();
    const isAllowance = call.method === "eth_call" && JSON.stringify(call.params).includes("0xdd62ed3e");
    return isAllowance ? `0x${"0".repeat(64)}` : result;
  });
  const error = await expectUnfinished(pay(), payer);
  expect([error.code, error.details["allowance"], error.details["amount"]]).toEqual(["APPROVAL_FAILED", "0", "1000"]);
  expect(await tools.paid(payer.address)).toBe(0);
});

test("an approval that another payment has spent is repeated", async () => {
  const { tools, payer, proxy, pay } = await setUp("usdt", (call) =>
    call.method === "eth_estimateGas" && call.nth > 0 ? dead() : call.forward(),
  );
  const error = await expectUnfinished(pay(), payer);
  proxy.handle();
  const other = await pay();
  const payment = await error.resume();
  expect(other.transactions.map(({ step }) => step)).toEqual(["pay"]);
  expect(payment.transactions.map(({ step }) => step)).toEqual(["approve", "approve", "pay"]);
  expect(await tools.paid(payer.address)).toBe(2);
});

describe("undecodable events and reverts change nothing", () => {
  /** A node that returns the payment's logs with other fields indexed: same name and types, but one topic less. */
  async function createReindexingProxy(token: PaymentToken, event: string) {
    return setUp(token, async ({ method, forward }) => {
      const result = (await forward()) as { logs: { topics: string[]; data: string }[] } | null;
      if (method !== "eth_getTransactionReceipt" || !result) return result;
      const logs = result.logs.map((log) => {
        if (log.topics[0] !== id(event)) return log;
        const [last = ""] = log.topics.slice(-1);
        return { ...log, topics: log.topics.slice(0, -1), data: `0x${last.slice(2)}${log.data.slice(2)}` };
      });
      return { ...result, logs };
    });
  }

  test.each<PaymentToken>(["native", "usdc"])(
    "a ReceivedPayment indexed differently: paid, once (%s)",
    async (token) => {
      const event = "ReceivedPayment(address,address,uint256,uint256,uint256,bytes)";
      const { tools, payer, pay } = await createReindexingProxy(token, event);
      const payment = await pay();
      expect(payment.event).toBeUndefined();
      expect(await tools.paid(payer.address)).toBe(1);
    },
  );

  test("a Transfer indexed differently: unknown, as the balance says that something arrived, and not repeated", async () => {
    const { tools, payer, pay } = await createReindexingProxy("usdc", "Transfer(address,address,uint256)");
    const error = await expectUnfinished(pay(), payer);
    expect([error.code, (await failure(error.resume())).code]).toEqual(["PAYMENT_UNKNOWN", "PAYMENT_UNKNOWN"]);
    expect(await tools.paid(payer.address)).toBe(1);
  });

  test.each(["has no state of its block", "has the state of another block"])(
    "a receipt without logs, by a node that %s: unknown, not underpaid",
    async (problem) => {
      const { tools, payer, pay } = await setUp("usdc", async ({ method, params, forward }) => {
        const [call, tag] = params as [object, unknown];
        if (method === "eth_call" && /^0x/.test(String(tag))) {
          if (problem === "has no state of its block") throw new NodeError(-32_000, "missing trie node");
          return tools.rpc(method, call, "0x1").catch(() => `0x${"0".repeat(64)}`);
        }
        const result = (await forward()) as { logs: object[] } | null;
        return method === "eth_getTransactionReceipt" && result
          ? { ...result, logs: result.logs.slice(0, -2) }
          : result;
      });
      const error = await expectUnfinished(pay(), payer);
      expect([error.code, await tools.paid(payer.address)]).toEqual(["PAYMENT_UNKNOWN", 1]);
    },
  );

  test.each([
    ["a truncated Error", "0x08c379a0", "0x08c379a0"],
    ["a truncated Panic", "0x4e487b71", "0x4e487b71"],
    ["a truncated error of the contract", "0x118cdaa7", "0x118cdaa7"],
    ["an error that is not known", "0xdeadbeef", "0xdeadbeef"],
    ["an Error that is not UTF-8", new Interface(["error Error(bytes)"]).encodeErrorResult("Error", ["0xff80"]), ""],
  ])("%s: the transaction would be reverted", async (_, data) => {
    const error = data.replace(id("Error(bytes)").slice(0, 10), "0x08c379a0");
    const { tools, payer, pay } = await setUp("native", ({ method, forward }) => {
      if (method === "eth_estimateGas") throw new NodeError(3, "execution reverted", error);
      return forward();
    });
    const refused = await failure(pay());
    expect([refused.code, refused.details["reason"]]).toEqual([
      "PAYMENT_REVERTED",
      `the contract reverted with the unknown error ${error.slice(0, 10)}`,
    ]);
    expect(await tools.paid(payer.address)).toBe(0);
  });

  test("a reverted payment with a truncated reason is not repeated", async () => {
    const { tools, payer, proxy, pay } = await setUp("native", async ({ method, forward }) => {
      if (method === "eth_call" && proxy.count(SEND) > 0) throw new NodeError(3, "execution reverted", "0x08c379a0");
      const result = (await forward()) as object | null;
      return method === "eth_getTransactionReceipt" && result ? { ...result, status: "0x0" } : result;
    });
    const error = await failure(pay());
    expect([error.code, error instanceof UnfinishedError]).toEqual(["PAYMENT_REVERTED", true]);
    expect(error.details["hash"]).toMatch(/^0x/);
    expect(proxy.count(SEND)).toBe(1);
    expect(await tools.paid(payer.address)).toBe(1);
  });
});

test("a resume with a malformed option leaves the payment unfinished, and it can be resumed", async () => {
  const { tools, payer, proxy, pay } = await setUp("native", (call) =>
    call.method === SEND || /Receipt|ByHash/.test(call.method) ? dead() : call.forward(),
  );
  const error = await expectUnfinished(pay(), payer);
  proxy.handle();
  const refused = await expectUnfinished(error.resume({ waitMs: 0 }), payer);
  expect([refused.code, refused.details["option"]]).toEqual(["INVALID_OPTION", "waitMs"]);
  expect((await refused.resume()).hash).toBe(error.details["hash"]);
  expect(await tools.paid(payer.address)).toBe(1);
});

test("a payment interrupted while it reads the revert reason is still final", async () => {
  const controller = new AbortController();
  const { tools, payer, proxy, pay } = await setUp("native", async ({ method, forward }) => {
    if (method === "eth_call" && proxy.count(SEND) > 0) controller.abort();
    const result = (await forward()) as object | null;
    return method === "eth_getTransactionReceipt" && result ? { ...result, status: "0x0" } : result;
  });
  const error = await failure(pay({ signal: controller.signal }));
  expect([error.code, proxy.count(SEND)]).toEqual(["PAYMENT_REVERTED", 1]);
  expect(await tools.paid(payer.address)).toBe(1);
});

test("concurrent and repeated resumes pay once", async () => {
  const { tools, payer, proxy, pay } = await setUp("usdt", (call) =>
    call.method === "eth_estimateGas" && call.nth > 0 ? dead() : call.forward(),
  );
  const error = await expectUnfinished(pay(), payer);
  proxy.handle();
  const payments = await Promise.all([error.resume(), error.resume(), error.resume()]);
  payments.push(await error.resume());
  expect(new Set(payments.map(({ hash }) => hash)).size).toBe(1);
  expect(proxy.count(SEND)).toBe(2);
  expect(await tools.paid(payer.address)).toBe(1);
});

describe("a wallet", () => {
  /** A wallet whose response to each transaction is decided by `act`. */
  async function setUpWallet(act: (nth: number, send: () => Promise<unknown>) => Promise<unknown>) {
    const tools = chain();
    const payer = await tools.payer();
    await tools.rpc("anvil_impersonateAccount", payer.address);
    let requests = 0;
    const signer = {
      request: async ({ method, params = [] }: { method: string; params?: unknown }): Promise<unknown> => {
        const forward = () => tools.rpc(method, ...(params as unknown[]));
        if (method === "eth_requestAccounts") return [payer.address];
        return method === "eth_sendTransaction" ? act(requests++, forward) : forward();
      },
    };
    const pay = (token: PaymentToken, signal?: AbortSignal) =>
      payWithToken({ network: tools.network, token, amount: 1000n, signer, signal, ...quick });
    return { tools, payer, pay, requests: () => requests };
  }

  const rejection = () => Object.assign(new Error("User rejected the request."), { code: 4001 });

  test("whose user rejects the first transaction sends nothing", async () => {
    const { tools, payer, pay } = await setUpWallet(() => Promise.reject(rejection()));
    const error = await failure(pay("usdc"));
    expect([error.code, error.message]).toEqual([
      "PAYMENT_REJECTED",
      "The signer did not sign the transaction (approve)",
    ]);
    expect(error).not.toBeInstanceOf(UnfinishedError);
    expect(await tools.allowance("usdc", payer.address)).toBe(0n);
  });

  test.each([
    { code: 5000, message: "User rejected." },
    { code: "ACTION_REJECTED", message: "user rejected action" },
    { message: "failed", data: { originalError: { code: 4001, message: "no" } } },
  ])("that rejects with another code sends nothing either: %j", async (refusal) => {
    const { pay } = await setUpWallet(() => Promise.reject(refusal));
    const error = await failure(pay("native"));
    expect(error.code).toBe("PAYMENT_REJECTED");
    expect(error).not.toBeInstanceOf(UnfinishedError);
  });

  test("that fails does not claim another payment of the same amount", async () => {
    const { tools, payer, pay, requests } = await setUpWallet((nth, send) =>
      nth === 0 ? Promise.reject(new Error("lost connection")) : send(),
    );
    const error = await expectUnfinished(pay("native"), payer);
    const other = await pay("native");
    const again = await expectUnfinished(error.resume({ missingMs: 60_000, waitMs: 100 }), payer);
    expect([error.code, again.code, requests()]).toEqual(["PAYMENT_UNKNOWN", "PAYMENT_TIMEOUT", 2]);
    expect(other.event?.amount).toBe(1000n);
    expect(await tools.paid(payer.address)).toBe(1);
  });

  test("whose user rejects the payment can be requested again", async () => {
    const { tools, payer, pay, requests } = await setUpWallet((nth, send) =>
      nth === 1 ? Promise.reject(rejection()) : send(),
    );
    const error = await expectUnfinished(pay("usdc"), payer);
    expect([error.code, error.details["step"]]).toEqual(["PAYMENT_REJECTED", "pay"]);
    const payment = await error.resume();
    expect(payment.transactions.map(({ step }) => step)).toEqual(["approve", "pay"]);
    expect(requests()).toBe(3);
    expect(await tools.paid(payer.address)).toBe(1);
  });

  test("that throws instead of returning its address rejects the payment", async () => {
    const signer = {
      request: () => {
        throw new Error("no longer connected");
      },
    };
    const error = await failure(payWithToken({ network: chain().network, token: "native", amount: 5n, signer }));
    expect([error.code, error.details["step"]]).toEqual(["PAYMENT_REJECTED", "account"]);
  });

  test("that rejects the request for its address ends the call immediately", async () => {
    const signer = { request: () => Promise.reject(rejection()) };
    const error = await failure(payWithToken({ network: chain().network, token: "native", amount: 5n, signer }));
    expect([error.code, error.details["step"]]).toEqual(["PAYMENT_REJECTED", "account"]);
  });

  test("that sends without responding: the kit finds the transaction on the chain, and never requests it again", async () => {
    const { tools, payer, pay, requests } = await setUpWallet(async (_, send) => {
      await send();
      throw Object.assign(new Error("Internal JSON-RPC error."), { code: -32_603 });
    });
    const error = await expectUnfinished(pay("native"), payer);
    expect([error.code, error.details["hash"]]).toEqual(["PAYMENT_UNKNOWN", undefined]);
    const payment = await error.resume();
    expect(payment.event?.amount).toBe(1000n);
    expect(requests()).toBe(1);
    expect(await tools.paid(payer.address)).toBe(1);
  });

  test("that fails before it sends is requested again once 12 blocks show nothing, and not before", async () => {
    const { tools, payer, pay, requests } = await setUpWallet((nth, send) =>
      nth === 0 ? Promise.reject(new Error("lost connection")) : send(),
    );
    const error = await expectUnfinished(pay("native"), payer);
    await tools.rpc("anvil_mine", "0xb");
    const again = await expectUnfinished(error.resume({ missingMs: 60_000, waitMs: 100 }), payer);
    expect([error.code, again.code, requests()]).toEqual(["PAYMENT_UNKNOWN", "PAYMENT_TIMEOUT", 1]);
    await tools.rpc("anvil_mine", "0x1");
    await again.resume({ missingMs: 60_000 });
    expect([requests(), await tools.paid(payer.address)]).toEqual([2, 1]);
  });

  test("whose window stays open can be aborted, and the kit finds the transaction that it sends later", async () => {
    let accept: () => void = () => undefined;
    const accepted = new Promise<void>((resolve) => {
      accept = resolve;
    });
    const { tools, payer, pay, requests } = await setUpWallet(async (_, send) => {
      await accepted;
      return send();
    });
    const controller = new AbortController();
    const paying = expectUnfinished(pay("native", controller.signal), payer);
    await expect.poll(requests).toBe(1);
    controller.abort();
    const error = await paying;
    expect([error.code, error.details["step"]]).toEqual(["ABORTED", "pay"]);
    const resumed = error.resume({ signal: new AbortController().signal });
    accept();
    expect((await resumed).event?.amount).toBe(1000n);
    expect(requests()).toBe(1);
    expect(await tools.paid(payer.address)).toBe(1);
  });

  test("whose user finally rejects: the payment is final, and an older error cannot resume it", async () => {
    let reject: () => void = () => undefined;
    const rejected = new Promise<never>((_, give) => {
      reject = () => give(rejection());
    });
    const { tools, payer, pay, requests } = await setUpWallet((nth, send) => (nth > 0 ? send() : rejected));
    const controller = new AbortController();
    const paying = expectUnfinished(pay("native", controller.signal), payer);
    await expect.poll(requests).toBe(1);
    controller.abort();
    const error = await paying;
    const refused = failure(error.resume());
    reject();
    const no = await refused;
    expect([error.code, no.code, no instanceof UnfinishedError]).toEqual(["ABORTED", "PAYMENT_REJECTED", false]);
    await pay("native");
    expect(await failure(error.resume())).toBe(no);
    expect(requests()).toBe(2);
    expect(await tools.paid(payer.address)).toBe(1);
  });

  test("that reports revert data: the reason is decoded", async () => {
    const data = new Interface(["error TOKEN_NOT_SUPPORTED()"]).encodeErrorResult("TOKEN_NOT_SUPPORTED");
    const { pay } = await setUpWallet(() =>
      Promise.reject({ code: -32_603, message: "Internal", data: { code: 3, message: "execution reverted", data } }),
    );
    const error = await failure(pay("native"));
    expect([error.code, error.cause]).toMatchObject([
      "PAYMENT_UNKNOWN",
      { code: "PAYMENT_REVERTED", details: { error: "TOKEN_NOT_SUPPORTED" } },
    ]);
  });
});
