import { id } from "ethers";
import { expect, inject, test } from "vitest";
import { type Eip1193Provider, usePayment } from "../../src/react/index.ts";
import { eventually } from "../support/eventually.ts";
import { askChain, pageWallet } from "./page-wallet.ts";
import { newAccount, renderHook, watchConsole } from "./rig.tsx";
import { watchRequests } from "./traffic.ts";

const { network } = inject("devnet");
const AMOUNT = 4_321n;
const quick = { network, amount: AMOUNT, pollMs: 20 };

/** What the payment contract holds of the chain's coin: all that was ever paid with it. */
const paid = async () => BigInt(String(await askChain("eth_getBalance", network.contract, "latest")));
const mine = (blocks: number) => askChain("anvil_mine", `0x${blocks.toString(16)}`);

test("a payment tells each of its transactions and ends with all of them", async () => {
  const heard = watchConsole();
  const requests = watchRequests();
  const wallet = pageWallet(3);
  const hook = await renderHook(() => usePayment(), await newAccount());
  expect(hook.now.state).toEqual({ status: "idle" });
  const payment = await hook.now.pay({ ...quick, token: "usdc", signer: wallet.provider });
  await eventually(() => expect(hook.now.state).toEqual({ status: "done", result: payment }));

  expect(payment?.transactions.map(({ step }) => step)).toEqual(["approve", "pay"]);
  expect(wallet.asked()).toBe(2);
  const told = hook.all.flatMap(({ state }) => (state.status === "running" && state.progress ? [state.progress] : []));
  const phases = told.map(({ now }) => [now.phase, now.state].filter(Boolean).join(" "));
  for (const phase of ["checking", "approve signing", "approve confirmed", "pay signing"]) {
    expect(phases).toContain(phase);
  }
  const fractions = told.map(({ now }) => now.fraction);
  expect(fractions).toEqual([...fractions].sort((one, other) => one - other));
  const [approval] = payment?.transactions ?? [];
  expect(told.at(-1)?.steps[0]).toMatchObject({ phase: "approve", state: "confirmed", hash: approval?.hash });
  expect(requests.open()).toBe(0);
  expect(heard).toEqual([]);
});

test("who says no in the wallet has paid nothing, is told how far it got, and may try again", async () => {
  const before = await paid();
  const wallet = pageWallet(3);
  wallet.refuse();
  const hook = await renderHook(() => usePayment(), await newAccount());
  expect(await hook.now.pay({ ...quick, token: "native", signer: wallet.provider })).toBeUndefined();
  await eventually(() => expect(hook.now.state.status).toBe("failed"));
  expect(hook.now.state).toMatchObject({
    error: { code: "PAYMENT_REJECTED" },
    progress: { steps: [{ phase: "pay", state: "signing" }] },
  });
  expect(await paid()).toBe(before);
  wallet.allow();
  expect(await hook.now.retry()).toMatchObject({ amount: AMOUNT });
  expect(await paid()).toBe(before + AMOUNT);
});

test("a payment that is not confirmed in time goes on where it was, with the steps it had", async () => {
  const wallet = pageWallet(4);
  const hook = await renderHook(() => usePayment(), await newAccount());
  // The approval needs one block only, which is there at once; the payment lacks two.
  const options = { ...quick, confirmations: 3, waitMs: 4_000, signer: wallet.provider };
  expect(await hook.now.pay({ ...options, token: "usdc" })).toBeUndefined();
  await eventually(() =>
    expect(hook.now.state).toMatchObject({ status: "failed", error: { code: "PAYMENT_TIMEOUT" } }),
  );
  const first = hook.now.state.status === "failed" ? hook.now.state.progress?.steps : [];
  expect(first?.map(({ phase }) => phase)).toEqual(["approve", "pay"]);
  await mine(5);
  const payment = await hook.now.retry();
  expect(payment?.transactions.map(({ hash }) => hash)).toEqual(first?.map(({ hash }) => hash));
  expect(wallet.asked()).toBe(2);
  expect(await hook.now.retry()).toBeUndefined();
  expect(wallet.asked()).toBe(2);
});

test("an abort ends the waiting at once; a retry in the same breath does not pay twice", async () => {
  const before = await paid();
  const wallet = pageWallet(3);
  const hook = await renderHook(() => usePayment(), await newAccount());
  const paying = hook.now.pay({ ...quick, token: "native", confirmations: 4, signer: wallet.provider });
  await eventually(() => expect(hook.now.state).toMatchObject({ progress: { now: { phase: "pay", state: "sent" } } }));
  hook.now.abort();
  const retried = hook.now.retry();
  expect(await paying).toBeUndefined();
  await mine(6);
  expect(await retried).toMatchObject({ amount: AMOUNT });
  expect(wallet.asked()).toBe(1);
  expect(await paid()).toBe(before + AMOUNT);
});

test("an abort while the result of a payment is read, then a retry, pays once", async () => {
  const topics = [id("ReceivedPayment(address,address,uint256,uint256,uint256,bytes)")];
  const payments = async () =>
    ((await askChain("eth_getLogs", { address: network.contract, topics, fromBlock: "0x0" })) as unknown[]).length;
  const wallet = pageWallet(3);
  const hook = await renderHook(() => usePayment(), await newAccount());
  // Balances are read before and after the payment's block, the payer's and the contract's.
  for (let nth = 1; nth <= 4; nth++) {
    const before = await payments();
    const asked = wallet.asked();
    let reads = 0;
    const signer: Eip1193Provider = {
      request(call) {
        const [, tag] = Array.isArray(call.params) ? call.params : [];
        if (call.method === "eth_call" && String(tag).startsWith("0x") && ++reads === nth) hook.now.abort();
        return wallet.provider.request(call);
      },
    };
    expect(await hook.now.pay({ ...quick, token: "usdc", signer })).toBeUndefined();
    await eventually(() => expect(hook.now.state).toEqual({ status: "aborted" }));
    expect(await hook.now.retry()).toMatchObject({ amount: AMOUNT });
    await eventually(() => expect(hook.now.state.status).toBe("done"));
    expect(reads).toBeGreaterThan(4);
    expect([(await payments()) - before, wallet.asked() - asked]).toEqual([1, 2]);
  }
});

test("an abort at any turn while the last answer comes in: the result, or what a retry returns, is the one payment", async () => {
  const wallet = pageWallet(3);
  const hook = await renderHook(() => usePayment(), await newAccount());
  let tooLate = 0;
  for (let turns = 0; turns < 40; turns++) {
    const before = await paid();
    const asked = wallet.asked();
    const abortLater = async () => {
      for (let turn = 0; turn < turns; turn++) await undefined;
      hook.now.abort();
    };
    let isFirst = true;
    const signer: Eip1193Provider = {
      async request(call) {
        const answer = await wallet.provider.request(call);
        // A payment in the chain's coin makes no call after the receipt of its one transaction.
        if (isFirst && call.method === "eth_getTransactionReceipt" && answer) {
          isFirst = false;
          void abortLater();
        }
        return answer;
      },
    };
    const first = await hook.now.pay({ ...quick, token: "native", signer });
    if (first) tooLate += 1;
    expect(first ?? (await hook.now.retry()), `${turns} turns`).toMatchObject({ amount: AMOUNT });
    expect([wallet.asked() - asked, await paid()]).toEqual([1, before + AMOUNT]);
  }
  expect(tooLate).toBeGreaterThan(0);
  expect(tooLate).toBeLessThan(40);
});

test("an abort while the wallet asks leaves no request, and a yes after it counts once", async () => {
  const before = await paid();
  const requests = watchRequests();
  const wallet = pageWallet(4);
  const decide = wallet.hesitate();
  const hook = await renderHook(() => usePayment(), await newAccount());
  const paying = hook.now.pay({ ...quick, token: "native", signer: wallet.provider });
  await eventually(() => expect(wallet.asked()).toBe(1));
  hook.now.abort();
  expect(await paying).toBeUndefined();
  await eventually(() => expect(hook.now.state).toEqual({ status: "aborted" }));
  await eventually(() => expect(requests.open()).toBe(0));
  decide();
  expect(await hook.now.retry()).toMatchObject({ amount: AMOUNT });
  expect(wallet.asked()).toBe(1);
  expect(await paid()).toBe(before + AMOUNT);
});

test("whoever presses twice pays once", async () => {
  const before = await paid();
  const wallet = pageWallet(3);
  const hook = await renderHook(() => usePayment(), await newAccount());
  const options = { ...quick, token: "native", signer: wallet.provider } as const;
  const [one, other] = await Promise.all([hook.now.pay(options), hook.now.pay(options)]);
  expect(one).toMatchObject({ amount: AMOUNT });
  expect(other).toBe(one);
  expect(await paid()).toBe(before + AMOUNT);
});

test("when the component goes, the waiting ends: nothing is rendered, asked or left running", async () => {
  const heard = watchConsole();
  const requests = watchRequests();
  const wallet = pageWallet(4);
  const hook = await renderHook(() => usePayment(), await newAccount());
  const options = { ...quick, token: "native", confirmations: 9, signer: wallet.provider } as const;
  const paying = hook.now.pay(options);
  await eventually(() => expect(hook.now.state).toMatchObject({ progress: { now: { state: "sent" } } }));
  const { pay, retry } = hook.now;
  await hook.unmount();
  const rendered = hook.all.length;
  expect(await paying).toBeUndefined();
  expect(await Promise.all([pay(options), retry()])).toEqual([undefined, undefined]);
  await eventually(() => expect(requests.open()).toBe(0));
  const begun = requests.begun();
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect([requests.begun(), hook.all.length, wallet.asked()]).toEqual([begun, rendered, 1]);
  expect(heard).toEqual([]);
});
