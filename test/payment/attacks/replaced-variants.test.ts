import { describe, expect, test } from "vitest";
import type { PaymentToken } from "../../../src/base/config/networks.ts";
import { chainForTests, withRpc } from "../chain-tools.ts";
import { createFolder } from "../child-rig.ts";
import { createRpcProxy } from "../rpc-proxy.ts";
import { beforeReorganisation, createAttack, expectPaidOnce, FINALITY, hold, mine, whileMining } from "./attack-rig.ts";

// Signed bytes can be mined as long as their nonce is free: all variants of a transaction are kept.

const chain = chainForTests();

/** An order whose transaction is pending; `sent` has the bytes that were broadcast. */
async function setUp(token: PaymentToken, isJournaled: boolean) {
  const attack = await createAttack(chain(), token);
  const { tools } = attack;
  const sent: string[] = [];
  const proxy = await createRpcProxy(tools.chain.rpc, ({ method, params, forward }) => {
    const raw = String(params[0]);
    if (method === "eth_sendRawTransaction" && !sent.includes(raw)) sent.push(raw);
    return forward();
  });
  const network = withRpc(tools.network, proxy.url);
  const folder = isJournaled ? await createFolder() : undefined;
  const orderId = attack.orderId();
  await hold(tools);
  const undo = await beforeReorganisation(tools);
  const pay = (waitMs = 2_000) => attack.pay(orderId, { folder, network, waitMs });
  const pending = await pay(50);
  expect(pending.code).toBe("PAYMENT_TIMEOUT");
  /** Mines the older variant instead of the one that took its place. */
  const mineFirst = async () => {
    const [open] = await tools
      .rpc<{ transactions: { hash: string; from: string }[] }>("eth_getBlockByNumber", "pending", true)
      .then(({ transactions }) => transactions.filter(({ from }) => from === attack.payer.address));
    await tools.rpc("anvil_dropTransaction", open?.hash);
    await tools.rpc("eth_sendRawTransaction", sent[0]);
    await mine(tools, 1);
  };
  return { attack, tools, orderId, sent, pay, pending, mineFirst, undo };
}

const cases = (["usdc", "native"] as const).flatMap((token) =>
  [true, false].map((isJournaled) => ({ token, isJournaled })),
);

describe.each(cases)("an order ($token, journal: $isJournaled)", ({ token, isJournaled }) => {
  test("that was sped up is paid by its own bytes after its older variant was reorganised away", async () => {
    const { attack, tools, orderId, sent, pay, pending, mineFirst, undo } = await setUp(token, isJournaled);
    await attack.resume(pending, { action: "speed-up", waitMs: 50 });
    expect(sent.length).toBe(2);
    await mineFirst();
    // Not confirmed yet, but seen.
    await attack.resume(pending, { confirmations: 3, waitMs: 100 });
    await undo(1);
    expect(await tools.paid(attack.payer.address)).toBe(0);
    expect((await pay(100)).hash).toBeUndefined();
    await whileMining(tools, pay());
    await mine(tools, FINALITY);
    await pay();
    await expectPaidOnce(attack, [orderId]);
  });

  test("that was sped up after it was reorganised away is paid once", async () => {
    const { attack, tools, orderId, pay, pending, undo } = await setUp(token, isJournaled);
    await mine(tools, 1);
    await attack.resume(pending, { confirmations: 3, waitMs: 50 });
    await undo(1);
    const error = await pay(50);
    await attack.resume(error, { action: "speed-up", waitMs: 50 });
    await whileMining(tools, pay());
    await expectPaidOnce(attack, [orderId]);
  });

  test("that was cancelled too late, and reorganised away, ends paid once or cancelled", async () => {
    const { attack, tools, orderId, sent, pay, pending, mineFirst, undo } = await setUp(token, isJournaled);
    await attack.resume(pending, { action: "cancel", waitMs: 50 });
    expect(sent.length).toBe(2);
    await mineFirst();
    await attack.resume(pending, { confirmations: 3, waitMs: 100 });
    await undo(1);
    const { hash, code } = await whileMining(tools, pay());
    expect(hash === undefined ? code : "paid").toMatch(/^(paid|PAYMENT_CANCELLED|PAYMENT_TIMEOUT)$/);
    await mine(tools, FINALITY + 1);
    await whileMining(tools, pay());
    await expectPaidOnce(attack, [orderId]);
  });

  test("that was cancelled is not paid again before the cancellation is final", async () => {
    const { attack, tools, orderId, sent, pay, pending, undo } = await setUp(token, isJournaled);
    await attack.resume(pending, { action: "cancel", waitMs: 50 });
    await mine(tools, 40);
    await pay(100);
    expect(sent.length).toBe(2);
    await undo(40);
    await tools.rpc("eth_sendRawTransaction", sent[0]);
    await mine(tools, 1);
    await whileMining(tools, pay());
    await mine(tools, FINALITY);
    await pay();
    await expectPaidOnce(attack, [orderId]);
  });

  test("cannot be given up while what was signed for it can be mined", async () => {
    const { attack, tools, orderId, sent, pay, pending, mineFirst, undo } = await setUp(token, isJournaled);
    const giveUp = async () => {
      const { code, error } = await attack.resume(pending, { action: "give-up", waitMs: 50 });
      expect([code, error?.details["option"]]).toEqual(["INVALID_OPTION", "action"]);
    };
    await giveUp();
    await attack.resume(pending, { action: "speed-up", waitMs: 50 });
    await giveUp();
    await mineFirst();
    await attack.resume(pending, { confirmations: 3, waitMs: 50 });
    await undo(1);
    await giveUp();
    expect(sent.length).toBe(2);
    await whileMining(tools, pay());
    await expectPaidOnce(attack, [orderId]);
  });
});
