import { describe, expect, test } from "vitest";
import { createGate } from "../../support/gate.ts";
import { chainForTests, waitUntilMined, withRpc } from "../chain-tools.ts";
import { createFolder } from "../child-rig.ts";
import { createRpcProxy, forwardTo } from "../rpc-proxy.ts";
import type { SmartCall } from "../smart-account.ts";
import { AMOUNT, createAttack, expectPaidOnce, whileMining } from "./attack-rig.ts";
import { type PayServer, type ServerPayment, serversForTests } from "./pay-servers.ts";

// Processes that own an order and hang, or are killed while a wallet's window is open.

const chain = chainForTests();
const servers = serversForTests(1);

async function setUp(token: "usdc" | "dai" = "usdc") {
  const attack = await createAttack(chain(), token);
  const { tools, payer } = attack;
  const folder = await createFolder();
  const orderId = attack.orderId();
  const pay = async (server: PayServer, options: Partial<ServerPayment> = {}) => {
    const own = options.walletUrl === undefined ? { privateKey: payer.privateKey } : { address: payer.address };
    const payment = { network: tools.network, token, amount: AMOUNT, orderId, folder, ...own, ...options };
    const report = await server.pay(payment);
    await attack.note({ orderId: payment.orderId, hash: report.hash, code: report.code });
    return report;
  };
  return { attack, tools, payer, orderId, pay };
}

test.each([{ isSent: false }, { isSent: true }])(
  "an order whose owner hangs is busy, and is paid once when it goes on (sent: $isSent)",
  async ({ isSent }) => {
    const { attack, tools, orderId, pay } = await setUp();
    const owner = await servers.start();
    const [hung, goOn] = [createGate(), createGate()];
    const proxy = await createRpcProxy(tools.chain.rpc, async ({ method, forward }) => {
      if (method !== "eth_sendRawTransaction") return forward();
      const result = isSent ? await forward() : undefined;
      hung.reach();
      await goOn.reached;
      return isSent ? result : forward();
    });
    const paying = pay(owner, { network: withRpc(tools.network, proxy.url) });
    await hung.reached;
    owner.child.kill("SIGSTOP");
    const busy = await pay(servers.get(0), { waitMs: 300 });
    expect([busy.code, busy.isUnfinished]).toEqual(["JOURNAL_ENTRY_BUSY", expect.any(Boolean)]);
    expect(JSON.stringify([busy.message, busy.details])).toContain(String(owner.child.pid));
    owner.child.kill("SIGCONT");
    goOn.reach();
    const { hash } = await paying;
    expect((await pay(servers.get(0))).hash).toBe(hash);
    await expectPaidOnce(attack, [orderId]);
  },
);

/** How the window is answered that is open when the process is killed. */
type Answer = "nothing is sent" | "sent before" | "sent after";

/** Pays with a wallet in a process that is killed while its first window is open, and in another one. */
async function killAtWindow(token: "usdc" | "dai", amount: bigint, answer: Answer) {
  const { attack, tools, payer, orderId, pay } = await setUp(token);
  const opened = createGate();
  let first: SmartCall | undefined;
  let prompts = 0;
  const wallet = await createRpcProxy(tools.chain.rpc, async ({ method, params, forward }) => {
    if (method !== "eth_sendTransaction") return forward();
    prompts += 1;
    if (first) return forward();
    first = params[0] as SmartCall;
    if (answer === "sent before") await waitUntilMined(tools, await forward());
    opened.reach();
    return new Promise(() => undefined);
  });
  const owner = await servers.start();
  const options = { walletUrl: wallet.url, amount };
  const paying = pay(owner, options);
  await opened.reached;
  await owner.kill();
  expect((await paying).code).toBe("KILLED");
  if (answer === "sent after") {
    await waitUntilMined(
      tools,
      await forwardTo(tools.chain.rpc, "eth_sendTransaction", [{ ...first, from: payer.address }]),
    );
  }
  for (let again = 0; again < 2; again++) await whileMining(tools, pay(servers.get(0), { ...options, waitMs: 5_000 }));
  return { attack, orderId, prompts };
}

describe.each<Answer>(["nothing is sent", "sent before", "sent after"])(
  "a process killed at a window (%s)",
  (answer) => {
    test("that approves: the next one asks for what is missing", async () => {
      // More than what is approved.
      const { attack, orderId, prompts } = await killAtWindow("dai", 10n ** 6n, answer);
      await expectPaidOnce(attack, [orderId]);
      expect(prompts).toBe(answer === "nothing is sent" ? 3 : 2);
    });

    test("that pays: the next one asks at most once more, after the chain has shown nothing", async () => {
      const { attack, orderId, prompts } = await killAtWindow("usdc", AMOUNT, answer);
      const { code } = attack.told.at(-1) ?? {};
      // Whether the window is still open is for a person to know.
      if (answer === "nothing is sent" && code !== undefined) {
        expect([code, prompts, await attack.judge([orderId])]).toEqual(["PAYMENT_UNKNOWN", 1, []]);
        return;
      }
      await expectPaidOnce(attack, [orderId]);
      expect(prompts).toBe(answer === "nothing is sent" ? 2 : 1);
    });
  },
);
