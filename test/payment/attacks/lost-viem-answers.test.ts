import { createWalletClient, custom, http, type Transport } from "viem";
import { describe, expect, test } from "vitest";
import type { PaymentToken } from "../../../src/base/config/networks.ts";
import { chainForTests, waitUntilMined } from "../chain-tools.ts";
import { createFolder } from "../child-rig.ts";
import { createRpcProxy } from "../rpc-proxy.ts";
import { createAttack, expectPaidOnce, whileMining } from "./attack-rig.ts";

// A client of viem repeats what fails three times, and its wallet may send each time.

const chain = chainForTests();
const fail = (fields: object) => () => Promise.reject(Object.assign(new Error("lost"), fields));

const losses: readonly { name: string; lose(): Promise<never>; isSlow?: boolean }[] = [
  { name: "an error without a code", lose: fail({}) },
  { name: "-32603", lose: fail({ code: -32_603 }) },
  { name: "-32005", lose: fail({ code: -32_005 }) },
  { name: "no answer in the client's time", lose: () => new Promise(() => undefined), isSlow: true },
];

/** An order whose wallet sends whatever it is asked to, and loses its answer. */
async function setUp(token: PaymentToken, lose: () => Promise<never>) {
  const attack = await createAttack(chain(), token);
  const wallet = attack.createWallet(async (call) => {
    await waitUntilMined(attack.tools, await attack.submit(call));
    return lose();
  });
  const account = attack.payer.address as `0x${string}`;
  const toClient = (transport: Transport) => createWalletClient({ account, transport });
  return { attack, wallet, toClient, orderId: attack.orderId() };
}

describe.each<PaymentToken>(["usdc", "native"])("a viem client, paying with %s", (token) => {
  test.each(losses.flatMap((loss) => [true, false].map((isJournaled) => ({ ...loss, isJournaled }))))(
    "pays one call once, and the order once: $name (journal: $isJournaled)",
    async ({ lose, isSlow, isJournaled }) => {
      const { attack, wallet, toClient, orderId } = await setUp(token, lose);
      const folder = isJournaled ? await createFolder() : undefined;
      const proxy = await createRpcProxy(attack.tools.chain.rpc, ({ method, params }) =>
        wallet.request({ method, params }),
      );
      const signer = toClient(isSlow ? http(proxy.url, { timeout: 200 }) : custom({ request: wallet.request }));
      const options = { signer, folder, rpc: attack.tools.chain.rpc };
      await attack.pay(orderId, { ...options, waitMs: 1_000 });
      expect([wallet.prompts, await attack.tools.paid(attack.payer.address)]).toEqual([1, 1]);
      for (let again = 0; again < 2; again++) await whileMining(attack.tools, attack.pay(orderId, options));
      if (token === "usdc") await expectPaidOnce(attack, [orderId]);
      expect([await attack.judge([orderId]), wallet.prompts]).toEqual([[], 1]);
    },
  );
});
