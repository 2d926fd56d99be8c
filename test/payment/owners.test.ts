import { expect, test } from "vitest";
import type { PayerOptions, UnfinishedPayment } from "../../src/payment/index.ts";
import { payWithToken } from "../../src/payment/pay.ts";
import { findOwner, mayHaveForgotten, setOwner } from "../../src/payment/run/account.ts";
import { failure } from "../support/failure.ts";
import { chainForTests } from "./chain-tools.ts";

const chain = chainForTests();
const MANY = 10_000;

/** Makes this process remember many transactions of later attempts. */
function setOwners(chainId: number, fromBlock: number, name: string): void {
  for (let nth = 0; nth < MANY; nth++) setOwner(`${name} ${nth}`, { chainId, fromBlock, attempt: "another" });
}

test("the oldest owners are forgotten, and which attempts that concerns is not", () => {
  setOwner("the oldest", { chainId: 1, fromBlock: 70, attempt: "one" });
  setOwner("the second", { chainId: 2, fromBlock: 80, attempt: "two" });
  expect([findOwner("the oldest"), mayHaveForgotten(1, 0)]).toEqual(["one", false]);
  setOwners(3, 90, "later");
  expect([findOwner("the oldest"), findOwner("the second")]).toEqual([undefined, undefined]);
  expect([mayHaveForgotten(1, 70), mayHaveForgotten(1, 71)]).toEqual([true, false]);
  expect([mayHaveForgotten(2, 80), mayHaveForgotten(2, 81)]).toEqual([true, false]);
  expect(mayHaveForgotten(3, 90)).toBe(false);
});

test("an open payment is never taken for another one of the same amount, however many were made since", async () => {
  const tools = chain();
  const payer = await tools.payer("native");
  const { chain_id: chainId } = tools.network;
  const signer = {
    request: async ({ method, params = [] }: { method: string; params?: unknown }): Promise<unknown> => {
      if (method === "eth_requestAccounts") return [payer.address];
      if (method === "eth_sendTransaction") throw new Error("lost connection");
      return tools.rpc(method, ...(params as unknown[]));
    },
  };
  const pay = (by: PayerOptions) =>
    payWithToken({ ...by, network: tools.network, token: "native", amount: 1000n, pollMs: 5, missingMs: 50 });
  const error = (await failure(pay({ signer }))) as UnfinishedPayment;
  expect(error.code).toBe("PAYMENT_UNKNOWN");
  const { hash, block } = await pay({ privateKey: payer.privateKey });
  setOwners(chainId, block, "many");
  expect(findOwner(hash)).toBeUndefined();
  expect((await failure(error.resume())).code).toBe("PAYMENT_UNKNOWN");
  // Payments that are made from then on find their transactions.
  await tools.rpc("anvil_mine", "0x1");
  expect((await pay({ privateKey: payer.privateKey })).hash).not.toBe(hash);
  expect(await tools.paid(payer.address)).toBe(2);
});
