import { describe, expect, test } from "vitest";
import type { PaymentToken } from "../../../src/base/config/networks.ts";
import { chainForTests, waitUntilMined } from "../chain-tools.ts";
import { createFolder } from "../child-rig.ts";
import { type AttackOptions, createAttack, expectPaidOnce, hold, mine, whileMining } from "./attack-rig.ts";
import { walletErrors } from "./wallet-errors.ts";

// What a wallet throws never proves that it sent nothing.

const chain = chainForTests();
const QUIET_BLOCKS = 12;

/** When nodes know the transaction of a wallet that fails: mined before its error, pending, or only after its error. */
type Moment = "mined" | "pending" | "late";

async function setUp(token: PaymentToken = "usdc") {
  const attack = await createAttack(chain(), token);
  const folder = await createFolder();
  const orderId = attack.orderId();
  const pay = (options: AttackOptions) => attack.pay(orderId, { folder, ...options });
  return { attack, orderId, pay };
}

/** Calls an order whose wallet sends and then throws, again and again. Returns how often the wallet was asked. */
async function payAfterError(token: PaymentToken, moment: Moment, create: () => unknown) {
  const { attack, orderId, pay } = await setUp(token);
  const { tools } = attack;
  let sendLate: () => Promise<unknown> = async () => undefined;
  const wallet = attack.createWallet(async (call, nth) => {
    if (nth > 0) return attack.submit(call);
    if (moment === "late") sendLate = () => attack.submit(call);
    else {
      const hash = await attack.submit(call);
      if (moment === "mined") await waitUntilMined(tools, hash);
    }
    throw create();
  });
  if (moment !== "mined") await hold(tools);
  const first = await pay({ signer: wallet, waitMs: 50 });
  await sendLate();
  if (moment !== "mined") await pay({ signer: wallet, waitMs: 30 });
  await whileMining(tools, pay({ signer: wallet }));
  await mine(tools, QUIET_BLOCKS + 1);
  await pay({ signer: wallet });
  return { attack, orderId, wallet, first };
}

describe.each<Moment>(["mined", "pending", "late"])("a wallet whose transaction is %s when it throws", (moment) => {
  test.each(walletErrors)("pays the order once: $name", async ({ create }) => {
    const { attack, orderId, wallet } = await payAfterError("usdc", moment, create);
    await expectPaidOnce(attack, [orderId]);
    expect(wallet.prompts).toBe(1);
  });

  const some = walletErrors.filter(({ name }) => /^(4001|-32603|no code|hex data.*)$/.test(name));
  test.each(some)("pays an order in coins at most once: $name", async ({ create }) => {
    const { attack, orderId, wallet } = await payAfterError("native", moment, create);
    expect([await attack.judge([orderId]), wallet.prompts]).toEqual([[], 1]);
    // It may have to ask a person which payment is the order's, but says so.
    const { hash, code } = attack.told.at(-1) ?? {};
    expect(hash ?? code).toMatch(/^(0x[0-9a-f]{64}|PAYMENT_UNKNOWN|ORDER_UNCERTAIN)$/);
  });
});

describe("a wallet that throws and sent nothing", () => {
  test.each(walletErrors)("is asked again once the chain has shown it: $name", async ({ create, isRejection }) => {
    const { attack, orderId, pay } = await setUp();
    const { tools } = attack;
    const wallet = attack.createWallet(async (call, nth) => {
      if (nth === 0) throw create();
      return attack.submit(call);
    });
    const first = await pay({ signer: wallet, waitMs: 50 });
    expect(first.code).toBe(isRejection ? "PAYMENT_REJECTED" : "PAYMENT_UNKNOWN");
    // No block was mined since.
    const second = await pay({ signer: wallet, waitMs: 30 });
    expect([wallet.prompts, second.hash]).toEqual([1, undefined]);
    if (!isRejection) {
      await mine(tools, QUIET_BLOCKS / 2);
      await pay({ signer: wallet, waitMs: 30 });
      expect(wallet.prompts).toBe(1);
    }
    for (let round = 0; round < 3 && attack.told.at(-1)?.hash === undefined; round++) {
      await mine(tools, isRejection ? 1 : QUIET_BLOCKS + 1);
      await whileMining(tools, pay({ signer: wallet }));
    }
    await expectPaidOnce(attack, [orderId]);
    expect(wallet.prompts).toBe(2);
  });
});

describe("a wallet that fails at the approval", () => {
  const failures = walletErrors.filter(({ name }) => /^(4001|-32603|no code|4100|3 with.*)$/.test(name));

  test.each(failures.flatMap((error) => [true, false].map((sends) => ({ ...error, sends }))))(
    "is asked again, and the order is paid once: $name (sent: $sends)",
    async ({ create, sends }) => {
      const { attack, orderId, pay } = await setUp("dai");
      const { tools } = attack;
      // More than what is approved.
      const amount = 10n ** 6n;
      const wallet = attack.createWallet(async (call, nth) => {
        if (nth > 0) return attack.submit(call);
        if (sends) await waitUntilMined(tools, await attack.submit(call));
        throw create();
      });
      await pay({ amount, signer: wallet, waitMs: 50 });
      for (let round = 0; round < 2; round++) await whileMining(tools, pay({ amount, signer: wallet }));
      await expectPaidOnce(attack, [orderId]);
    },
  );
});

test("a signer that cannot sign without sending sends", async () => {
  const { attack, orderId, pay } = await setUp();
  const { wallet } = attack.payer;
  const sent: unknown[] = [];
  const signer = {
    getAddress: () => wallet.address,
    signTransaction: async () => {
      throw Object.assign(new Error("cannot sign"), { code: "UNSUPPORTED_OPERATION" });
    },
    sendTransaction: async (fields: object) => {
      sent.push(fields);
      return wallet.sendTransaction(fields);
    },
  };
  await pay({ signer });
  await pay({ signer });
  await expectPaidOnce(attack, [orderId]);
  expect(sent.length).toBe(1);
});
