import { expect, test } from "vitest";
import type { PaymentNetwork, PaymentToken } from "../../src/base/config/networks.ts";
import { networks } from "../../src/base/config/networks.ts";
import { resolveNetwork } from "../../src/base/config/resolve-network.ts";
import { payWithToken } from "../../src/payment/pay.ts";
import { failure } from "../support/failure.ts";
import { chainForTests, withRpc } from "./chain-tools.ts";
import { Broken, createRpcProxy, NodeError, Reply, type RpcCall, refuseIf } from "./rpc-proxy.ts";

const chain = chainForTests();
const SEND = "eth_sendRawTransaction";

const dead = async (): Promise<never> => {
  throw new Broken();
};
const onOtherChain = async ({ method, forward }: RpcCall): Promise<unknown> =>
  method === "eth_chainId" ? "0x89" : forward();

/** Pays 1000 units, by nodes that respond as these handlers decide. */
async function setUp(token: PaymentToken, ...handlers: ((call: RpcCall) => Promise<unknown>)[]) {
  const tools = chain();
  const { privateKey, address } = await tools.payer(token);
  const proxies = await Promise.all(handlers.map((handler) => createRpcProxy(tools.chain.rpc, handler)));
  const [rpc = "", ...moreRpcs] = proxies.map(({ url }) => url);
  const network: PaymentNetwork = { ...tools.network, rpc, moreRpcs };
  const pay = () => payWithToken({ network, token, amount: 1000n, privateKey, pollMs: 10 });
  return { proxies, pay, paid: () => tools.paid(address) };
}

const forward = ({ forward }: RpcCall) => forward();

test.each([
  ["that cannot be reached", dead],
  ["that is on another chain", onOtherChain],
  ["that is too busy for long", refuseIf(() => true)],
  [
    "that asks to come back much later",
    async () => {
      throw new Reply({ error: { code: -32_005, message: "limit" } }, 429, { "retry-after": "3600" });
    },
  ],
  [
    "whose responses are an HTML page",
    async () => {
      throw new Reply({ jsonrpc: undefined, id: undefined }, 502);
    },
  ],
])("a node %s is skipped", async (_, handler) => {
  const { proxies, pay, paid } = await setUp("usdc", handler, forward);
  await pay();
  expect(await paid()).toBe(1);
  expect(proxies[1]?.count(SEND)).toBe(2);
});

test("a node on another chain receives no transaction, and its responses are never used", async () => {
  const { proxies, pay, paid } = await setUp("native", onOtherChain, forward);
  await pay();
  expect(await paid()).toBe(1);
  expect(proxies.map((proxy) => proxy.count(SEND))).toEqual([0, 1]);
});

test("if all nodes are on another chain, nothing is paid", async () => {
  const { pay, paid } = await setUp("native", onOtherChain, onOtherChain);
  expect((await failure(pay())).code).toBe("WRONG_CHAIN");
  expect(await paid()).toBe(0);
});

test("a transaction is broadcast to every node, and accepted if one of them accepts it", async () => {
  const refusing = ({ method, forward }: RpcCall) => {
    if (method === SEND) throw new NodeError(-32_000, "transactions are not accepted here");
    return forward();
  };
  const { proxies, pay, paid } = await setUp("native", refusing, forward, dead);
  await pay();
  expect(await paid()).toBe(1);
  expect(proxies.map((proxy) => proxy.count(SEND))).toEqual([1, 1, 0]);
});

test("a node that fails between two calls is replaced by the next one", async () => {
  let calls = 0;
  const { proxies, pay, paid } = await setUp("usdc", (call) => (++calls > 9 ? dead() : call.forward()), forward);
  await pay();
  expect(await paid()).toBe(1);
  expect(proxies[0]?.count("eth_getCode")).toBeGreaterThan(0);
});

test("several URLs can be passed instead of the network's", async () => {
  const tools = chain();
  const { privateKey, address } = await tools.payer("native");
  const broken = await createRpcProxy(tools.chain.rpc, dead);
  const payment = {
    network: withRpc(tools.network, broken.url),
    token: "native",
    amount: 5n,
    privateKey,
    pollMs: 10,
  } as const;
  await payWithToken({ ...payment, rpc: [broken.url, tools.chain.rpc] });
  expect(await tools.paid(address)).toBe(1);
  for (const rpc of [[], ["ws://127.0.0.1"], [tools.chain.rpc, ""]]) {
    const error = await failure(payWithToken({ ...payment, rpc }));
    expect([error.code, error.details["option"]]).toEqual(["INVALID_OPTION", "rpc"]);
  }
});

test("no payment fails, although the only node refuses a fifth of all calls", async () => {
  let calls = 0;
  const refuse = refuseIf(() => ++calls % 5 === 0);
  for (const token of ["native", "usdc", "usdt", "dai"] as const) {
    const { pay, paid } = await setUp(token, refuse);
    await pay();
    expect(await paid()).toBe(1);
  }
});

test("the table's further nodes are not those of a row with another rpc, such as a fork's", async () => {
  const { moreRpcs } = networks.polygon;
  const fork = resolveNetwork({ ...networks.polygon, rpc: "http://127.0.0.1:9" });
  expect([fork.moreRpcs, resolveNetwork({ ...networks.polygon }).moreRpcs]).toEqual([undefined, moreRpcs]);
  const own = ["http://127.0.0.1:8"];
  expect(resolveNetwork({ ...networks.polygon, rpc: "http://127.0.0.1:9", moreRpcs: own }).moreRpcs).toEqual(own);
});
