import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import type { PaymentToken } from "../../src/base/config/networks.ts";
import { type PayOptions, payWithToken } from "../../src/payment/pay.ts";
import { chainForTests, type TestChain, waitUntilMined } from "./chain-tools.ts";
import { createFeed } from "./price-feeds.ts";

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

test.each<[PaymentToken, object, number[]]>([
  ["native", { amount: 5n }, [2]],
  // With the chain's price feed.
  ["native", { size: 5 }, [2]],
  ["usdc", { amount: 5n }, [3, 5]],
])(
  "the reads of a payment in %s (%#) before each prompt of the wallet take few round trips",
  async (token, order, most) => {
    const tools = chain();
    const network = { ...tools.network, priceFeed: await createFeed(tools, { usd: 3_000 }) };
    const payer = await tools.payer(token);
    await tools.rpc("anvil_impersonateAccount", payer.address);
    const { provider, prompts } = createRoundWallet(tools, payer.address);
    const { endpoints } = tools.devnet;
    const payment = await payWithToken({
      network,
      token,
      ...order,
      signer: provider,
      pollMs: 10,
      endpoints,
    } as PayOptions);
    expect(payment.priceCheck).toBe("size" in order ? "feed" : undefined);
    expect(prompts).toHaveLength(most.length);
    for (const [nth, rounds] of prompts.entries()) expect(rounds).toBeLessThanOrEqual(most[nth] ?? 0);
    expect(await tools.paid(payer.address)).toBe(1);
  },
);
