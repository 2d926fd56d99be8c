import { describe, expect, test } from "vitest";
import type { PaymentToken } from "../../../src/base/config/networks.ts";
import { chainForTests, withRpc } from "../chain-tools.ts";
import { createFolder } from "../child-rig.ts";
import { createRpcProxy } from "../rpc-proxy.ts";
import { type Attack, createAttack, expectPaidOnce, FINALITY, hold, mine, whileMining } from "./attack-rig.ts";
import { type ServerPayment, serversForTests } from "./pay-servers.ts";

// Two processes with one private key, and orders of the same amount.

const chain = chainForTests();
const servers = serversForTests(2);

/** Pays an order by one of the servers, and records what it reports. */
async function payBy(attack: Attack, server: number, orderId: string, options: Partial<ServerPayment> = {}) {
  const { tools, payer, token } = attack;
  const payment = { network: tools.network, token, amount: 3_906n, privateKey: payer.privateKey, orderId };
  const { hash, code } = await servers.get(server).pay({ ...payment, ...options });
  await attack.note({ orderId, hash, code });
  return { hash, code };
}

/** Calls an order until it is paid: after each error once the chain is final, by the decision that the error names. */
async function payToTheEnd(attack: Attack, server: number, orderId: string, options: Partial<ServerPayment>) {
  let decision = {};
  for (let tries = 0; tries < 4; tries++) {
    const { hash, code } = await whileMining(
      attack.tools,
      payBy(attack, server, orderId, { ...options, ...decision, waitMs: 10_000 }),
    );
    if (hash !== undefined) return hash;
    // Nothing of this order was signed so far.
    if (code === "ORDER_UNCERTAIN") decision = { searchBlocks: 0 };
    await mine(attack.tools, FINALITY + 1);
  }
  return undefined;
}

const cases = (["usdc", "native"] as const).flatMap((token) =>
  [true, false].flatMap((isJournaled) => ["at once", "in blocks"].map((mined) => ({ token, isJournaled, mined }))),
);

describe("two servers that pay an order each at the same time", () => {
  test.each(cases)(
    "make a payment each: $token, mined $mined (journals: $isJournaled)",
    async ({ token, isJournaled, mined }) => {
      const attack = await createAttack(chain(), token);
      const orderIds = [attack.orderId(0), attack.orderId(1)];
      const folders = await Promise.all(orderIds.map(createFolder));
      const optionsOf = (at: number) => (isJournaled ? { folder: folders[at] } : {});
      if (mined === "in blocks") await hold(attack.tools);
      const paying = Promise.all(orderIds.map((orderId, at) => payBy(attack, at, orderId, optionsOf(at))));
      await (mined === "in blocks" ? whileMining(attack.tools, paying) : paying);
      for (const [at, orderId] of orderIds.entries()) await payToTheEnd(attack, at, orderId, optionsOf(at));
      await expectPaidOnce(attack, orderIds);
    },
  );
});

/** Pays an order by the second server while the first is held up before its `nth` request to the node, or after it. */
/** Every so many requests are overtaken; 1 takes minutes. */
const STEP = Number(process.env["KEEPLIGHT_OVERTAKE_STEP"] ?? 5);

async function holdUp(token: PaymentToken, nth: number, isAfter: boolean, isSameOrder: boolean) {
  const attack = await createAttack(chain(), token);
  const orderIds = isSameOrder ? [attack.orderId(), attack.orderId()] : [attack.orderId(0), attack.orderId(1)];
  const [first = "", second = ""] = orderIds;
  const folders = await Promise.all([createFolder(), createFolder()]);
  let calls = 0;
  const proxy = await createRpcProxy(attack.tools.chain.rpc, async ({ forward }) => {
    if (++calls !== nth) return forward();
    const result = isAfter ? await forward() : undefined;
    await payBy(attack, 1, second, { folder: folders[1] });
    return isAfter ? result : forward();
  });
  const network = withRpc(attack.tools.network, proxy.url);
  await payBy(attack, 0, first, { folder: folders[0], network });
  const isReached = calls >= nth;
  proxy.handle();
  for (const [at, orderId] of orderIds.entries()) {
    const hash = await payToTheEnd(attack, at, orderId, { folder: folders[at] });
    expect(hash, `request ${nth}`).toBeDefined();
  }
  await expectPaidOnce(attack, [...new Set(orderIds)]);
  return isReached;
}

test.each([
  { token: "usdc" as const, isSameOrder: true },
  { token: "usdc" as const, isSameOrder: false },
  { token: "native" as const, isSameOrder: false },
])(
  "a server that another one overtakes at any request pays nothing twice ($token, same order: $isSameOrder)",
  async ({ token, isSameOrder }) => {
    let reached = 0;
    for (let nth = 1; await holdUp(token, nth, nth % 2 === 0, isSameOrder); nth += STEP) reached = nth;
    expect(reached).toBeGreaterThan(7);
  },
  STEP === 1 ? 600_000 : undefined,
);
