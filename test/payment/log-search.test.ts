import { afterEach, expect, test } from "vitest";
import { isUnfinished } from "../../src/base/errors/unfinished.ts";
import type { PayOptions, UnfinishedPayment } from "../../src/payment/index.ts";
import { payWithToken } from "../../src/payment/pay.ts";
import { openJournal } from "../../src/storage/resume/open-journal.ts";
import { failure } from "../support/failure.ts";
import { approveDirectly, captureHash, chainForTests } from "./chain-tools.ts";
import { createFolder } from "./child-rig.ts";
import { createRpcProxy, NodeError, type RpcCall } from "./rpc-proxy.ts";

const chain = chainForTests();

afterEach(() => chain().rpc("evm_setAutomine", true));

interface Request {
  method: string;
  params?: unknown;
}

/**
 * A payment by a wallet that cancels its transaction and makes the payment again at another nonce, so many blocks later.
 * After that the node responds to searches for logs as `handler` decides.
 */
async function payAtOtherNonce(blocks: number, handler: (call: RpcCall) => Promise<unknown>) {
  const tools = chain();
  const { rpc } = tools;
  const payer = await tools.payer();
  await rpc("anvil_impersonateAccount", payer.address);
  await approveDirectly(tools, payer, "usdc", 1000n);
  await rpc("evm_setAutomine", false);
  const node = await createRpcProxy(tools.chain.rpc);
  let requested: object[] = [];
  const request = async ({ method, params = [] }: Request): Promise<unknown> => {
    if (method === "eth_requestAccounts") return [payer.address];
    if (method === "eth_sendTransaction") requested = [...requested, (params as object[])[0] ?? {}];
    return rpc(method, ...(params as unknown[]));
  };
  const { hash, onProgress } = captureHash("pay");
  const pay = (options: Partial<PayOptions> = {}) =>
    payWithToken({
      network: tools.network,
      rpc: node.url,
      token: "usdc",
      amount: 1000n,
      signer: { request },
      orderId: payer.address,
      pollMs: 5,
      missingMs: 100,
      ...options,
    } as PayOptions);
  // The kit sees its nonce before it is replaced.
  const error = (await failure(pay({ onProgress, waitMs: 200 }))) as UnfinishedPayment;
  expect([error.code, isUnfinished(error)]).toEqual(["PAYMENT_TIMEOUT", true]);
  await rpc("anvil_dropTransaction", await hash);
  const cancel = { from: payer.address, to: payer.address, nonce: "0x1", gasPrice: "0x174876e800" };
  await rpc("eth_sendTransaction", cancel);
  await rpc("anvil_mine", `0x${blocks.toString(16)}`);
  const again = await rpc<string>("eth_sendTransaction", { ...requested[0], nonce: "0x2" });
  await rpc("anvil_mine", "0x28");
  node.methods.length = 0;
  node.handle((call) => (call.method === "eth_getLogs" ? handler(call) : call.forward()));
  return { tools, payer, node, pay, error, again, countPrompts: () => requested.length };
}

test("a wallet is not requested to pay again as long as the node refuses to search logs", async () => {
  const { tools, payer, node, pay, error, again, countPrompts } = await payAtOtherNonce(1, async () => {
    throw new NodeError(-32_000, "logs are not available");
  });
  expect((await failure(error.resume({ waitMs: 600_000 }))).code).toBe("RPC_REFUSED");
  expect((await failure(pay())).code).toBe("RPC_REFUSED");
  // Nothing is known of the order by a journal that was lost.
  const lost = await failure(pay({ journal: await openJournal({ folder: await createFolder() }) }));
  expect([lost.code, lost.details]).toMatchObject(["ORDER_UNCERTAIN", { searched: null, hashes: [] }]);
  node.handle();
  expect((await pay()).hash).toBe(again);
  expect([countPrompts(), await tools.paid(payer.address)]).toEqual([1, 1]);
});

test("logs are searched in ranges that the node accepts, each once", async () => {
  const ranges: [number, number][] = [];
  const { error, again } = await payAtOtherNonce(900, async ({ params, forward }) => {
    const [filter] = params as [{ fromBlock: string; toBlock: string }];
    const latest = await chain().rpc<string>("eth_blockNumber");
    const fromBlock = Number(filter.fromBlock);
    const toBlock = Number(filter.toBlock === "latest" ? latest : filter.toBlock);
    if (toBlock - fromBlock >= 300) throw new NodeError(-32_000, "block range is too large");
    ranges.push([fromBlock, toBlock]);
    return forward();
  });
  expect((await error.resume({ waitMs: 600_000 })).hash).toBe(again);
  expect(ranges.length).toBeGreaterThan(2);
  for (const [at, [fromBlock]] of ranges.entries()) expect(fromBlock - 1).toBe(ranges[at - 1]?.[1] ?? fromBlock - 1);
});
