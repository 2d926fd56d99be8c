import { Interface } from "ethers";
import { afterEach, describe, expect, test } from "vitest";
import type { PaymentToken } from "../../../src/base/config/networks.ts";
import { isUnfinished } from "../../../src/base/errors/unfinished.ts";
import { eventually } from "../../support/eventually.ts";
import { chainForTests, type TestChain } from "../chain-tools.ts";
import { createFolder } from "../child-rig.ts";
import { createRpcProxy } from "../rpc-proxy.ts";
import {
  type Attack,
  beforeReorganisation,
  createAttack,
  expectPaidOnce,
  FINALITY,
  hold,
  mine,
  release,
  whileMining,
} from "./attack-rig.ts";

const chain = chainForTests();
const depths = [3, 40];
const owner = new Interface(["function updateERC20Token(address, bool)"]);

// Whatever a test left: the next one starts with a contract that accepts the token.
afterEach(async () => {
  await release(chain());
  await setAccepted(chain(), true);
  await mine(chain(), 1);
});

/** Calls an order, and makes its transaction revert: the contract stops to accept the token before it is mined. */
async function payAndRevert(attack: Attack, orderId: string | undefined, folder: string | undefined) {
  const { tools, payer } = attack;
  await hold(tools);
  const undo = await beforeReorganisation(tools);
  const paying = attack.pay(orderId, { folder, waitMs: 5_000 });
  const isOpen = eventually(async () => expect(await countOpen(attack)).toBe(1));
  await Promise.race([paying, isOpen]);
  await setAccepted(tools, false);
  await mine(tools, 1);
  const error = await paying;
  await release(tools);
  expect(await tools.paid(payer.address)).toBe(0);
  /** Reverts all blocks since. */
  const reorganise = async (depth: number) => {
    await mine(tools, depth - 3);
    await undo(depth);
  };
  return { error, reorganise };
}

async function countOpen({ tools: { rpc }, payer }: Attack): Promise<number> {
  const count = async (tag: string) => Number(await rpc("eth_getTransactionCount", payer.address, tag));
  return (await count("pending")) - (await count("latest"));
}

const countSent = async ({ tools: { rpc }, payer }: Attack) =>
  Number(await rpc("eth_getTransactionCount", payer.address, "pending"));

async function setAccepted(tools: TestChain, isAccepted: boolean): Promise<void> {
  const from = await tools.owner();
  const data = owner.encodeFunctionData("updateERC20Token", [tools.network.tokens.usdc?.address, isAccepted]);
  await tools.rpc("eth_sendTransaction", { from, to: tools.network.contract, data, gasPrice: "0x174876e800" });
}

describe.each(depths)("a revert that a reorganisation of %i blocks undoes", (depth) => {
  test("is not final without an order id: resuming makes the same payment", async () => {
    const attack = await createAttack(chain());
    const { error, reorganise } = await payAndRevert(attack, undefined, undefined);
    expect([error.code, isUnfinished(error.error)]).toEqual(["PAYMENT_REVERTED", true]);
    await reorganise(depth);
    const { hash } = await whileMining(attack.tools, attack.resume(error));
    expect([hash, await attack.tools.paid(attack.payer.address)]).toEqual([error.error?.details["hash"], 1]);
  });

  test.each([true, false])("is not final with one: the same bytes pay (journal: %s)", async (isJournaled) => {
    const attack = await createAttack(chain());
    const folder = isJournaled ? await createFolder() : undefined;
    const orderId = attack.orderId();
    const { reorganise } = await payAndRevert(attack, orderId, folder);
    const sent = await countSent(attack);
    await setAccepted(attack.tools, true);
    await mine(attack.tools, 1);
    expect((await attack.pay(orderId, { folder, waitMs: 50 })).hash).toBeUndefined();
    expect(await countSent(attack)).toBe(sent);
    await reorganise(depth);
    await whileMining(attack.tools, attack.pay(orderId, { folder }));
    await mine(attack.tools, FINALITY);
    await attack.pay(orderId, { folder });
    await expectPaidOnce(attack, [orderId]);
  });
});

test("a revert is final after 64 blocks, with an order id and without", async () => {
  const attack = await createAttack(chain());
  const orderId = attack.orderId();
  const { error } = await payAndRevert(attack, undefined, undefined);
  await setAccepted(attack.tools, true);
  await mine(attack.tools, FINALITY + 1);
  const end = await attack.resume(error);
  expect([end.code, isUnfinished(end.error)]).toEqual(["PAYMENT_REVERTED", false]);
  await payAndRevert(attack, orderId, undefined);
  await setAccepted(attack.tools, true);
  await mine(attack.tools, FINALITY + 1);
  await attack.pay(orderId);
  await expectPaidOnce(attack, [orderId]);
});

const paidCases = depths.flatMap((depth) =>
  (["usdc", "native"] as const).flatMap((token) => [true, false].map((isJournaled) => ({ depth, token, isJournaled }))),
);

describe.each(paidCases)(
  "an order that a reorganisation of $depth blocks undoes ($token, journal: $isJournaled)",
  (c) => {
    async function setUp() {
      const attack = await createAttack(chain(), c.token as PaymentToken);
      return { attack, orderId: attack.orderId(), folder: c.isJournaled ? await createFolder() : undefined };
    }

    test("is not reported as paid until it is paid again, by the same bytes", async () => {
      const { attack, orderId, folder } = await setUp();
      const { tools, payer } = attack;
      const undo = await beforeReorganisation(tools);
      const { hash } = await attack.pay(orderId, { folder });
      await mine(tools, c.depth - 1);
      await undo(c.depth);
      expect(await tools.paid(payer.address)).toBe(0);
      await hold(tools);
      expect((await attack.pay(orderId, { folder, waitMs: 100 })).hash).toBeUndefined();
      expect((await whileMining(tools, attack.pay(orderId, { folder }))).hash).toBe(hash);
      await expectPaidOnce(attack, [orderId]);
    });

    test("whose nonce was displaced is paid by its own bytes once the other one is gone", async () => {
      const { attack, orderId, folder } = await setUp();
      const { tools, payer } = attack;
      await hold(tools);
      const undo = await beforeReorganisation(tools);
      const first = await attack.pay(orderId, { folder, waitMs: 50 });
      const hash = String(first.error?.details["hash"]);
      await tools.rpc("anvil_dropTransaction", hash);
      const nonce = await payer.wallet.getNonce("latest");
      const fields = { to: payer.address, value: 0n, gasPrice: 10n ** 11n, gasLimit: 21_000n, type: 0, nonce };
      const other = await payer.wallet.signTransaction({ ...fields, chainId: tools.network.chain_id });
      await tools.rpc("eth_sendRawTransaction", other);
      await mine(tools, 1);
      expect((await attack.pay(orderId, { folder, waitMs: 100 })).hash).toBeUndefined();
      await mine(tools, c.depth - 1);
      await undo(c.depth);
      expect((await whileMining(tools, attack.pay(orderId, { folder }))).hash).toBe(hash);
      await expectPaidOnce(attack, [orderId]);
    });
  },
);

test.each(depths)("a wallet's payment that a reorganisation of %i blocks undoes is not paid twice", async (depth) => {
  const attack = await createAttack(chain());
  const { tools } = attack;
  const orderId = attack.orderId();
  const folder = await createFolder();
  const sent: string[] = [];
  const wallet = attack.createWallet(async ({ to, data, value }) => {
    const { wallet: own } = attack.payer;
    const fields = { to, data: data ?? "0x", value: value ?? "0x0", gasPrice: 10n ** 10n, gasLimit: 300_000n, type: 0 };
    const nonce = await own.getNonce("pending");
    sent.push(await own.signTransaction({ ...fields, nonce, chainId: tools.network.chain_id }));
    return tools.rpc("eth_sendRawTransaction", sent.at(-1));
  });
  const undo = await beforeReorganisation(tools);
  await attack.pay(orderId, { folder, signer: wallet });
  await mine(tools, depth - 1);
  await undo(depth);
  await hold(tools);
  expect((await attack.pay(orderId, { folder, signer: wallet, waitMs: 100 })).hash).toBeUndefined();
  // The wallet sends its own bytes again, whatever it was asked meanwhile.
  await tools.rpc("eth_sendRawTransaction", sent[0]).catch(() => undefined);
  for (let again = 0; again < 2; again++) await whileMining(tools, attack.pay(orderId, { folder, signer: wallet }));
  await expectPaidOnce(attack, [orderId]);
});

test("a payment that is reorganised while it is searched for, and mined again by the end, is not made again", async () => {
  const attack = await createAttack(chain());
  const { tools } = attack;
  const orderId = attack.orderId();
  const undo = await beforeReorganisation(tools);
  const { hash } = await attack.pay(orderId, { folder: await createFolder() });
  const raw = await tools.rpc("eth_getRawTransactionByHash", hash);
  const proxy = await createRpcProxy(tools.chain.rpc, async ({ method, forward }) => {
    if (method !== "eth_getLogs" || proxy.count(method) > 1) return forward();
    await undo(1);
    const logs = await forward();
    await tools.rpc("eth_sendRawTransaction", raw);
    return logs;
  });
  // Another machine, which has nothing but the order's id.
  await attack.pay(orderId, { folder: await createFolder(), rpc: proxy.url });
  await expectPaidOnce(attack, [orderId]);
});
