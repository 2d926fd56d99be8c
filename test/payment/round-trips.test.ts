import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import type { PaymentToken } from "../../src/base/config/networks.ts";
import { payWithToken } from "../../src/payment/pay.ts";
import { chainForTests, type TestChain, waitUntilMined } from "./chain-tools.ts";

const chain = chainForTests();

/**
 * A wallet that responds to requests that are made together at once: how often it does is how many round trips the kit
 * waits for. Lists how many there were before each transaction that it was requested to send.
 */
function createRoundWallet(tools: TestChain, address: string) {
  const prompts: number[] = [];
  let round: { work: Promise<unknown>[]; end: Promise<void> } | undefined;
  let rounds = 0;

  async function respondTogether(work: Promise<unknown>): Promise<unknown> {
    if (!round) {
      rounds += 1;
      const together: Promise<unknown>[] = [];
      // Requests that do not wait for each other follow without a delay.
      const end = sleep(1).then(async () => {
        await Promise.allSettled(together);
        round = undefined;
      });
      round = { work: together, end };
    }
    // It may be refused before its round ends.
    work.catch(() => undefined);
    round.work.push(work);
    await round.end;
    return work;
  }

  const provider = {
    async request({ method, params = [] }: { method: string; params?: unknown }): Promise<unknown> {
      if (method === "eth_requestAccounts") return [address];
      if (method === "eth_sendTransaction") {
        prompts.push(rounds);
        rounds = 0;
        const hash = await tools.rpc(method, ...(params as unknown[]));
        await waitUntilMined(tools, hash);
        return hash;
      }
      return respondTogether(tools.rpc(method, ...(params as unknown[])));
    },
  };
  return { provider, prompts };
}

test.each<[PaymentToken, number[]]>([
  ["native", [2]],
  ["usdc", [3, 5]],
])("the reads of a payment in %s before each prompt of the wallet take few round trips", async (token, most) => {
  const tools = chain();
  const payer = await tools.payer(token);
  await tools.rpc("anvil_impersonateAccount", payer.address);
  const { provider, prompts } = createRoundWallet(tools, payer.address);
  await payWithToken({ network: tools.network, token, amount: 5n, signer: provider, pollMs: 10 });
  expect(prompts).toHaveLength(most.length);
  for (const [nth, rounds] of prompts.entries()) expect(rounds).toBeLessThanOrEqual(most[nth] ?? 0);
  expect(await tools.paid(payer.address)).toBe(1);
});
