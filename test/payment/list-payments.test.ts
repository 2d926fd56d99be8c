import { Contract, Interface, zeroPadValue } from "ethers";
import { describe, expect, test } from "vitest";
import {
  isUnfinished,
  listPayments,
  type Payment,
  type PaymentReceipt,
  payWithToken,
  type ResumeListOptions,
  verifyPayment,
} from "../../src/index.ts";
import type { PayOptions } from "../../src/payment/index.ts";
import { failure } from "../support/failure.ts";
import { approve, chainForTests, type Payer, waitUntilMined } from "./chain-tools.ts";
import { createRpcProxy, NodeError, Reply, type RpcCall } from "./rpc-proxy.ts";

const chain = chainForTests();
const tokens = ["native", "usdc", "usdt", "dai", "native", "native"] as const;
type GetLogs = [{ fromBlock: string; toBlock: string }];

const getLatest = async () => Number(await chain().rpc<string>("eth_blockNumber"));

async function pay({ privateKey }: Payer, token: PaymentReceipt["token"], amount: bigint) {
  const { network } = chain();
  return payWithToken({ network, token, amount, privateKey, pollMs: 5 } as PayOptions);
}

let made: ReturnType<typeof makePayments> | undefined;
/** Six payments of one account, the last after 600 blocks, and one of another account among them. */
const getPayments = () => {
  made ??= makePayments();
  return made;
};

async function makePayments() {
  const payer = await chain().payer();
  const fromBlock = await getLatest();
  const payments: Payment[] = [];
  for (const [at, token] of tokens.entries()) {
    if (at === 2) await pay(await chain().payer("native"), "native", 999n);
    if (at === 5) await chain().rpc("anvil_mine", "0x258");
    payments.push(await pay(payer, token, 100n + BigInt(at)));
  }
  const hashes = payments.map(({ hash }) => hash);
  const [, , , , fifth, last] = payments;
  return { payer, fromBlock, hashes, fifthBlock: fifth?.block ?? 0, toBlock: last?.block ?? 0 };
}

const list = (payer: Pick<Payer, "address">, options: object) =>
  listPayments(payer.address, { network: chain().network, fromBlock: 0, ...options });
const describeAll = (receipts: readonly PaymentReceipt[]) =>
  receipts.map(({ hash, token, amount }) => `${hash} ${token} ${amount}`);

/** How many blocks a call searches; 0 for other calls. */
function countBlocks({ method, params }: RpcCall): number {
  if (method !== "eth_getLogs") return 0;
  const [{ fromBlock, toBlock }] = params as GetLogs;
  return Number(toBlock) - Number(fromBlock) + 1;
}

test("payments of an account are listed in their order, each as it is verified", async () => {
  const { payer, fromBlock, hashes } = await getPayments();
  const receipts = await list(payer, { fromBlock });
  const confirmations = expect.any(Number);
  expect(describeAll(receipts)).toEqual(hashes.map((hash, at) => `${hash} ${tokens[at]} ${100 + at}`));
  for (const { hash, token, amount, sender, logIndex, ...receipt } of receipts) {
    const options = {
      network: chain().network,
      token,
      sender,
      amount: BigInt(amount),
      logIndex: logIndex ?? undefined,
    };
    expect(await verifyPayment(hash, options)).toEqual({
      ...receipt,
      hash,
      token,
      amount,
      sender,
      logIndex,
      confirmations,
    });
  }
  const [, second, third] = receipts;
  expect(await list(payer, { fromBlock: second?.block, toBlock: third?.block })).toMatchObject([
    { id: second?.id },
    { id: third?.id },
  ]);
  expect(await list({ address: payer.address.toUpperCase().replace("0X", "0x") }, { fromBlock })).toHaveLength(6);
  expect(await list(payer, { fromBlock: (await getLatest()) + 1 })).toEqual([]);
  expect(await list(payer, { fromBlock, toBlock: 1e9 })).toHaveLength(6);
});

test("what did not arrive is not listed", async () => {
  const payer = await chain().payer();
  const address = chain().chain.faultyTokens.noTransfer;
  const network = chain().withToken(address);
  await approve({ ...chain(), network }, payer, "usdc", 500n);
  const contract = new Contract(
    network.contract,
    new Interface(["function receiveToken(uint256,address)"]),
    payer.wallet,
  );
  const { hash } = (await contract.getFunction("receiveToken")(500n, address)) as { hash: string };
  await waitUntilMined(chain(), hash);
  expect(await list(payer, {})).toEqual([]);
  expect(await chain().paid(payer.address)).toBe(1);
});

describe("fewer blocks are requested if a node refuses", () => {
  test.each<[string, Error]>([
    ["with -32005", new NodeError(-32_005, "query returned more than 10000 results")],
    ["a block range", new NodeError(-32_000, "block range is too wide")],
    ["a size of the response", new NodeError(-32_602, "Log response size exceeded")],
    ["with a message of its own", new NodeError(-32_000, "eth_getLogs is limited to 100 blocks")],
    ["with HTTP 413", new Reply({ message: "too large" }, 413)],
  ])("%s", async (_, refusal) => {
    const { payer, fromBlock, toBlock, hashes } = await getPayments();
    const accepted: number[] = [];
    const proxy = await createRpcProxy(chain().chain.rpc, async (call) => {
      const range = countBlocks(call);
      if (range > 100) throw refusal;
      if (range > 0) accepted.push(range);
      return call.forward();
    });
    const receipts = await list(payer, { fromBlock, toBlock, rpc: proxy.url });
    expect(receipts.map(({ hash }) => hash)).toEqual(hashes);
    expect(accepted.length).toBeGreaterThan(5);
    // Halved until they are accepted, and never more again.
    expect(proxy.count("eth_getLogs") - accepted.length).toBeLessThan(12);
    expect(accepted.reduce((sum, range) => sum + range)).toBe(toBlock - fromBlock + 1);
  });

  test("and not if it has too many requests", async () => {
    const { payer, fromBlock } = await getPayments();
    const busy = new Reply({ error: { code: -32_005, message: "too many requests" } }, 429, { "retry-after": "600" });
    const proxy = await createRpcProxy(chain().chain.rpc, async ({ method, forward }) => {
      if (method === "eth_getLogs") throw busy;
      return forward();
    });
    const error = await failure(list(payer, { fromBlock, rpc: proxy.url }));
    expect([error.code, error.details["fromBlock"]]).toEqual(["RPC_REFUSED", fromBlock]);
    expect(proxy.count("eth_getLogs")).toBe(1);
  });
});

test("a search that fails keeps what it found, and resumes where it stopped", async () => {
  const { payer, fromBlock, fifthBlock: toBlock, hashes } = await getPayments();
  for (let fails = 0; fails < 8; fails++) {
    const ranges: GetLogs[0][] = [];
    let isBroken = true;
    const proxy = await createRpcProxy(chain().chain.rpc, async (call) => {
      if (countBlocks(call) > 4) throw new NodeError(-32_000, "range");
      if (call.method === "eth_getLogs") {
        if (isBroken && ranges.length === fails) throw new NodeError(-32_601, "boom");
        ranges.push(...(call.params as GetLogs));
      }
      return call.forward();
    });
    const error = await list(payer, { fromBlock, toBlock, rpc: proxy.url }).catch((thrown: unknown) => thrown);
    if (!isUnfinished<PaymentReceipt[], ResumeListOptions>(error)) {
      // There are fewer requests than that.
      expect(ranges.length).toBeLessThanOrEqual(fails);
      expect(fails).toBeGreaterThan(2);
      return;
    }
    const { payments, fromBlock: next } = error.details as { payments: PaymentReceipt[]; fromBlock: number };
    expect(next).toBe(
      fromBlock + ranges.reduce((sum, { fromBlock: a, toBlock: b }) => sum + Number(b) - Number(a) + 1, 0),
    );
    expect(payments.every(({ block }) => block < next)).toBe(true);
    // What a caller does with them has no effect on the list.
    payments.length = 0;
    isBroken = false;
    const refused = await failure(error.resume({ confirmations: 3 } as object));
    expect(refused.code).toBe("INVALID_OPTION");
    const resumed = await error.resume({ signal: new AbortController().signal });
    expect(resumed.map(({ hash }) => hash)).toEqual(hashes.slice(0, 5));
    const starts = ranges.map((range) => Number(range.fromBlock));
    expect(new Set(starts).size).toBe(starts.length);
  }
});

test("an abort keeps what was found", async () => {
  const { payer, fromBlock, hashes } = await getPayments();
  const controller = new AbortController();
  const proxy = await createRpcProxy(chain().chain.rpc, async ({ method, nth, forward }) => {
    if (method === "eth_getTransactionReceipt" && nth === 2) controller.abort();
    return forward();
  });
  const error = await list(payer, { fromBlock, rpc: proxy.url, signal: controller.signal }).catch((thrown) => thrown);
  expect(error).toMatchObject({ code: "ABORTED", details: { fromBlock } });
  if (!isUnfinished<PaymentReceipt[]>(error)) throw error;
  expect((await error.resume()).map(({ hash }) => hash)).toEqual(hashes);
});

test("a transaction that a reorganisation removed meanwhile ends the search, which can be resumed", async () => {
  const { payer, fromBlock, hashes } = await getPayments();
  let isRemoved = true;
  const proxy = await createRpcProxy(chain().chain.rpc, async ({ method, params, forward }) => {
    const isThird = params[0] === hashes[2] && method.startsWith("eth_getTransaction");
    return isThird && isRemoved ? null : forward();
  });
  const error = await list(payer, { fromBlock, rpc: proxy.url }).catch((thrown) => thrown);
  expect(error).toMatchObject({ code: "PAYMENT_REORGANISED", details: { hash: hashes[2], fromBlock, payments: [] } });
  isRemoved = false;
  if (!isUnfinished<PaymentReceipt[]>(error)) throw error;
  expect((await error.resume()).map(({ hash }) => hash)).toEqual(hashes);
});

describe("a faulty node", () => {
  type Shown = Record<string, unknown> & { topics: string[] };

  async function listThrough(forge: (logs: Shown[]) => unknown) {
    const { payer, fromBlock, hashes } = await getPayments();
    const { url } = await createRpcProxy(chain().chain.rpc, async ({ method, forward }) => {
      const result = await forward();
      return method === "eth_getLogs" ? forge(result as Shown[]) : result;
    });
    return { hashes, run: (options: object = {}) => list(payer, { fromBlock, rpc: url, ...options }) };
  }

  test("that ignores the filter adds no payment", async () => {
    const { network, rpc } = chain();
    await getPayments();
    const everything = await rpc<Shown[]>("eth_getLogs", { address: network.contract, fromBlock: "0x0" });
    const { run, hashes } = await listThrough(() => [{ address: 5 }, null, ...everything]);
    expect((await run()).map(({ hash }) => hash)).toEqual(hashes);
  });

  test.each<[string, (log: Shown) => Shown]>([
    [
      "another account's",
      (log) => ({ ...log, topics: [log.topics[0] ?? "", zeroPadValue(`0x${"ab".repeat(20)}`, 32)] }),
    ],
    ["another contract's", (log) => ({ ...log, address: `0x${"ab".repeat(20)}` })],
    ["removed", (log) => ({ ...log, removed: true })],
    ["of a block that was not requested", (log) => ({ ...log, blockNumber: "0xffffff" })],
  ])("that shows logs as %s adds no payment", async (_, forge) => {
    const { run } = await listThrough((logs) => logs.map(forge));
    expect(await run()).toEqual([]);
  });

  test.each<[string, (logs: Shown[]) => unknown]>([
    ["a log twice", (logs) => [...logs, logs[0]]],
    ["a log of another transaction", ([first, second]) => [{ ...first, transactionHash: second?.["transactionHash"] }]],
    ["no list", () => ({})],
    ["nothing", () => null],
  ])("that shows %s is not believed", async (_, forge) => {
    const { run, hashes } = await listThrough(forge);
    expect((await failure(run())).code).toBe("INVALID_RESPONSE");
    const other = await run({ rpc: [chain().chain.rpc] });
    expect(other.map(({ hash }) => hash)).toEqual(hashes);
  });

  test("that lags behind misses nothing in silence", async () => {
    const { payer, fromBlock, hashes } = await getPayments();
    const startLagging = () =>
      createRpcProxy(chain().chain.rpc, async ({ method, nth, forward }) =>
        method === "eth_blockNumber" && nth > 0 ? "0x1" : forward(),
      );
    expect((await failure(list(payer, { fromBlock, rpc: (await startLagging()).url }))).code).toBe("INVALID_RESPONSE");
    const receipts = await list(payer, { fromBlock, rpc: [(await startLagging()).url, chain().chain.rpc] });
    expect(receipts.map(({ hash }) => hash)).toEqual(hashes);
  });
});

test.each<[string, string, object, string]>([
  ["an address that is none", "0x12", {}, "INVALID_ADDRESS"],
  ["no first block", `0x${"ab".repeat(20)}`, { fromBlock: undefined }, "INVALID_OPTION"],
  ["a negative block", `0x${"ab".repeat(20)}`, { fromBlock: -1 }, "INVALID_OPTION"],
  ["a last block before the first", `0x${"ab".repeat(20)}`, { fromBlock: 5, toBlock: 4 }, "INVALID_OPTION"],
  ["a network that was shut down", `0x${"ab".repeat(20)}`, { network: "polygon-testnet" }, "UNSUPPORTED_NETWORK"],
])("with %s nothing is sent", async (_, address, options, code) => {
  const proxy = await createRpcProxy(chain().chain.rpc);
  expect((await failure(list({ address }, { rpc: proxy.url, ...options }))).code).toBe(code);
  expect(proxy.methods).toEqual([]);
});
