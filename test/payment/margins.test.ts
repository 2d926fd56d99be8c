import { afterEach, expect, test } from "vitest";
import { payWithToken, verifyPayment } from "../../src/index.ts";
import type { PayOptions } from "../../src/payment/index.ts";
import { chainForTests } from "./chain-tools.ts";
import { createRpcProxy, type RpcCall } from "./rpc-proxy.ts";

// What a payment keeps in reserve: gas for a state that changes, and confirmations for a chain that is reorganised.

const chain = chainForTests();
const SEND = "eth_sendRawTransaction";

afterEach(() => chain().rpc("evm_setAutomine", true));

async function setUp(handler: (call: RpcCall) => Promise<unknown> = ({ forward }) => forward()) {
  const tools = chain();
  const payer = await tools.payer();
  const proxy = await createRpcProxy(tools.chain.rpc, handler);
  const options = { network: tools.network, rpc: proxy.url, amount: 1000n, privateKey: payer.privateKey, pollMs: 5 };
  const pay = (more: Partial<PayOptions>) => payWithToken({ ...options, token: "native", ...more } as PayOptions);
  return { tools, payer, pay };
}

test.each(["native", "usdt"] as const)(
  "each transaction may use a fifth more gas than estimated, and some by which it is unlike others (%s)",
  async (token) => {
    const estimates: bigint[] = [];
    const { tools, pay } = await setUp(async ({ method, forward }) => {
      const result = await forward();
      if (method === "eth_estimateGas") estimates.push(BigInt(result as string));
      return result;
    });
    const { transactions } = await pay({ token });
    const limits = transactions.map(async ({ hash }) =>
      BigInt((await tools.rpc<{ gas: string }>("eth_getTransactionByHash", hash)).gas),
    );
    for (const [at, limit] of (await Promise.all(limits)).entries()) {
      const unusual = limit - ((estimates[at] ?? 0n) * 12n) / 10n;
      expect([unusual > 0n, unusual <= 4_096n]).toEqual([true, true]);
    }
  },
);

test("confirmations before a reorganisation do not count", async () => {
  const { rpc } = chain();
  let before: unknown;
  let raw: unknown;
  let isReorganised = false;
  const { tools, payer, pay } = await setUp(async ({ method, params, forward }) => {
    if (method === SEND) {
      [raw] = params;
      before = await rpc("evm_snapshot");
      const hash = await forward();
      await rpc("anvil_mine", "0x1");
      return hash;
    }
    if (method === "eth_blockNumber" && isReorganised) {
      const latest = await forward();
      await rpc("anvil_mine", "0x1");
      return latest;
    }
    const result = (await forward()) as { transactionHash?: string } | null;
    if (method !== "eth_getTransactionReceipt" || result === null || isReorganised) return result;
    // The receipt is of a block that is replaced by three others; the transaction is in the last of them.
    isReorganised = true;
    await rpc("evm_revert", before);
    await rpc("anvil_dropAllTransactions");
    await rpc("anvil_mine", "0x2");
    await rpc(SEND, raw);
    await rpc("anvil_mine", "0x1");
    return result;
  });
  await rpc("evm_setAutomine", false);
  const { hash, block } = await pay({ confirmations: 3 });
  const mined = await rpc<{ blockNumber: string }>("eth_getTransactionReceipt", hash);
  expect([block, await tools.paid(payer.address)]).toEqual([Number(mined.blockNumber), 1]);
  expect(Number(await rpc("eth_blockNumber")) - Number(block)).toBeGreaterThanOrEqual(2);
});

test("a receipt has the same id after a reorganisation that puts other events before the payment", async () => {
  const { tools, payer, pay } = await setUp();
  const { rpc, network } = tools;
  const before = await rpc("evm_snapshot");
  const { hash } = await pay({});
  const verify = () => verifyPayment(hash, { network, sender: payer.address, amount: 1000n });
  const first = await verify();
  const raw = await rpc("eth_getRawTransactionByHash", hash);
  await rpc("evm_revert", before);
  await rpc("evm_setAutomine", false);
  const owner = await tools.owner();
  const mint = `0x40c10f19${owner.slice(2).padStart(64, "0")}${"1".padStart(64, "0")}`;
  const fields = { from: owner, to: network.tokens.usdc?.address, data: mint, gasPrice: "0x174876e800" };
  await rpc("eth_sendTransaction", fields);
  await rpc(SEND, raw);
  await rpc("anvil_mine", "0x1");
  const { logs } = await rpc<{ logs: { logIndex: string }[] }>("eth_getTransactionReceipt", hash);
  expect(Number(logs[0]?.logIndex)).toBeGreaterThan(0);
  expect(await verify()).toMatchObject({ id: first.id, logIndex: first.logIndex });
});
