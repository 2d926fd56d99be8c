import { expect, test } from "vitest";
import { payWithToken } from "../../src/payment/pay.ts";
import { chainForTests, withRpc } from "./chain-tools.ts";
import { createRandom } from "./random.ts";
import { createRpcProxy, refuseIf } from "./rpc-proxy.ts";

const chain = chainForTests();
const PAYMENTS = Number(process.env["KEEPLIGHT_PAYMENTS"] ?? 50);
const tokens = ["native", "usdc", "usdt", "dai"] as const;

test(`${PAYMENTS} payments by a node that refuses 2 % of all calls with 429 are made without an error`, async () => {
  const tools = chain();
  const random = createRandom(429);
  let refused = 0;
  const refuse = refuseIf(() => {
    const isRefused = random() < 0.02;
    if (isRefused) refused += 1;
    return isRefused;
  });
  const proxy = await createRpcProxy(tools.chain.rpc, refuse);
  for (let nth = 0; nth < PAYMENTS; nth++) {
    const token = tokens[nth % tokens.length] ?? "native";
    const { privateKey, address } = await tools.payer(token);
    await payWithToken({ network: withRpc(tools.network, proxy.url), token, amount: 1000n, privateKey, pollMs: 10 });
    expect(await tools.paid(address), `payment ${nth}`).toBe(1);
  }
  expect(refused).toBeGreaterThan(0);
}, 600_000);
