import { test } from "vitest";
import type { PaymentToken } from "../../../src/base/config/networks.ts";
import { chainForTests, withRpc } from "../chain-tools.ts";
import { createFolder } from "../child-rig.ts";
import { createRpcProxy } from "../rpc-proxy.ts";
import { createAttack, expectPaidOnce, FINALITY, hold, mine, whileMining } from "./attack-rig.ts";
import { type Lag, lags } from "./lags.ts";

// A node that is behind may not make an order pass for another of the same amount.

const chain = chainForTests();

const cases = lags.flatMap(([lag, respond], at) =>
  (["usdc", "native"] as const).flatMap((token, of) =>
    [true, false].map((isPending) => ({
      lag,
      respond,
      token,
      isPending,
      isJournaled: (at + of + Number(isPending)) % 2 === 0,
    })),
  ),
);

/** Pays a first invoice, and a second one by a node that lags; then both again by one that does not. */
async function payTwo(token: PaymentToken, respond: Lag, isPending: boolean, folder: string | undefined) {
  const attack = await createAttack(chain(), token);
  const { tools } = attack;
  const orders = [attack.orderId(0), attack.orderId(1)];
  const [first = "", second = ""] = orders;
  if (isPending) await hold(tools);
  await attack.pay(first, { folder, waitMs: isPending ? 50 : 2_000 });
  const proxy = await createRpcProxy(tools.chain.rpc, (call) => respond(call, tools.chain.rpc));
  const network = withRpc(tools.network, proxy.url);
  await attack.pay(second, { folder, network, waitMs: 50 });
  await whileMining(tools, attack.pay(second, { folder, network, waitMs: 300 }));
  for (const orderId of orders) {
    for (let tries = 0; tries < 3; tries++) {
      const { hash } = await whileMining(tools, attack.pay(orderId, { folder }));
      if (hash !== undefined) break;
      await mine(tools, FINALITY + 1);
    }
  }
  await expectPaidOnce(attack, orders);
}

test.each(cases)(
  "a node that $lag gets a payment of its own for each invoice ($token, first pending: $isPending, journal: $isJournaled)",
  async ({ token, respond, isPending, isJournaled }) => {
    const folder = isJournaled ? await createFolder() : undefined;
    await payTwo(token, respond, isPending, folder);
  },
);
