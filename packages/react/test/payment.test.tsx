import { expect, inject, test } from "vitest";
import { eventually } from "../../../test/support/eventually.ts";
import { type Eip1193Provider, useBalance, usePayment } from "../src/index.ts";
import { createPageWallet, requestChain } from "./page-wallet.ts";
import { newAccount, renderHook, watchConsole } from "./rig.tsx";
import { watchRequests } from "./traffic.ts";

const { network } = inject("devnet");
const AMOUNT = 4_321n;
const quick = { network, amount: AMOUNT, pollMs: 20, missingMs: 200 };

const mineBlocks = (blocks: number) => requestChain("anvil_mine", `0x${blocks.toString(16)}`);

test("a payment reports each of its transactions, and its result has all of them", async () => {
  const complaints = watchConsole();
  const requests = watchRequests();
  const wallet = createPageWallet(3);
  const hook = await renderHook(() => usePayment(), await newAccount());
  expect(hook.now.state).toEqual({ status: "idle" });
  const payment = await hook.now.pay({ ...quick, token: "usdc", signer: wallet.provider });
  await eventually(() => expect(hook.now.state).toEqual({ status: "done", result: payment }));

  expect(payment?.transactions.map(({ step }) => step)).toEqual(["approve", "pay"]);
  expect(wallet.countRequests()).toBe(2);
  const reports = hook.all.flatMap(({ state }) =>
    state.status === "running" && state.progress ? [state.progress] : [],
  );
  const phases = reports.map(({ now }) => [now.phase, now.state].filter(Boolean).join(" "));
  for (const phase of ["checking", "approve signing", "approve confirmed", "pay signing"]) {
    expect(phases).toContain(phase);
  }
  const fractions = reports.map(({ now }) => now.fraction);
  expect(fractions).toEqual([...fractions].sort((one, other) => one - other));
  const [approval] = payment?.transactions ?? [];
  expect(reports.at(-1)?.steps[0]).toMatchObject({ phase: "approve", state: "confirmed", hash: approval?.hash });
  expect(requests.countOpen()).toBe(0);
  expect(complaints).toEqual([]);
});

test("the account's balance is loaded again after a payment", async () => {
  const wallet = createPageWallet(3);
  const requests = watchRequests();
  const account = await newAccount();
  const hook = await renderHook(() => ({ balance: useBalance(), payment: usePayment() }), account);
  await eventually(() => expect(hook.now.balance.status).toBe("success"));
  const before = requests.countTo("user_data_usage");
  await hook.now.payment.pay({ ...quick, token: "native", signer: wallet.provider });
  await eventually(() => expect(requests.countTo("user_data_usage")).toBeGreaterThan(before));
});

test("a payment rejected in the wallet pays nothing, keeps its progress, and can be retried", async () => {
  const wallet = createPageWallet(3);
  const before = await wallet.countMined();
  wallet.refuse();
  const hook = await renderHook(() => usePayment(), await newAccount());
  const options = { ...quick, token: "native" as const, signer: wallet.provider };
  expect(await hook.now.pay(options)).toBeUndefined();
  // What is changed now is for another payment.
  options.amount = 1n;
  await eventually(() => expect(hook.now.state.status).toBe("failed"));
  expect(hook.now.state).toMatchObject({
    error: { code: "PAYMENT_REJECTED" },
    progress: { steps: [{ phase: "pay", state: "signing" }] },
  });
  expect(await wallet.countMined()).toBe(before);
  wallet.allow();
  expect(await hook.now.retry()).toMatchObject({ amount: AMOUNT });
  expect(await wallet.countMined()).toBe(before + 1);
});

test("a payment that is not confirmed in time resumes with the transactions that it has sent", async () => {
  const wallet = createPageWallet(4);
  const hook = await renderHook(() => usePayment(), await newAccount());
  // The approval needs a single block, which is mined at once; the payment lacks more than other tests mine meanwhile.
  const options = { ...quick, confirmations: 100, waitMs: 4_000, signer: wallet.provider };
  expect(await hook.now.pay({ ...options, token: "usdc" })).toBeUndefined();
  await eventually(() =>
    expect(hook.now.state).toMatchObject({ status: "failed", error: { code: "PAYMENT_TIMEOUT" } }),
  );
  const first = hook.now.state.status === "failed" ? hook.now.state.progress?.steps : [];
  expect(first?.map(({ phase }) => phase)).toEqual(["approve", "pay"]);
  await mineBlocks(110);
  const payment = await hook.now.retry();
  expect(payment?.transactions.map(({ hash }) => hash)).toEqual(first?.map(({ hash }) => hash));
  expect(wallet.countRequests()).toBe(2);
  expect(await hook.now.retry()).toBeUndefined();
  expect(wallet.countRequests()).toBe(2);
});

test("an abort ends the waiting at once; an immediate retry does not pay twice", async () => {
  const wallet = createPageWallet(3);
  const before = await wallet.countMined();
  const hook = await renderHook(() => usePayment(), await newAccount());
  const paying = hook.now.pay({ ...quick, token: "native", confirmations: 4, signer: wallet.provider });
  await eventually(() => expect(hook.now.state).toMatchObject({ progress: { now: { phase: "pay", state: "sent" } } }));
  hook.now.abort();
  const retried = hook.now.retry();
  expect(await paying).toBeUndefined();
  await mineBlocks(6);
  expect(await retried).toMatchObject({ amount: AMOUNT });
  expect(wallet.countRequests()).toBe(1);
  expect(await wallet.countMined()).toBe(before + 1);
});

test("an abort while the result of a payment is read, then a retry, pays once", async () => {
  const wallet = createPageWallet(3);
  const hook = await renderHook(() => usePayment(), await newAccount());
  // The contract's balance is read before and after the payment's block.
  for (let nth = 1; nth <= 2; nth++) {
    const before = await wallet.countMined();
    const requested = wallet.countRequests();
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
    expect(reads).toBeGreaterThan(2);
    expect([(await wallet.countMined()) - before, wallet.countRequests() - requested]).toEqual([2, 2]);
  }
});

test("an abort at any turn after the last response: the result, or what a retry returns, is the one payment", async () => {
  const wallet = createPageWallet(3);
  const hook = await renderHook(() => usePayment(), await newAccount());
  let tooLate = 0;
  for (let turns = 0; turns < 40; turns++) {
    const before = await wallet.countMined();
    const requested = wallet.countRequests();
    const abortLater = async () => {
      for (let turn = 0; turn < turns; turn++) await undefined;
      hook.now.abort();
    };
    let isMined = false;
    let isFirst = true;
    const signer: Eip1193Provider = {
      async request(call) {
        const response = await wallet.provider.request(call);
        // After the receipt of its one transaction, a payment in the chain's coin only checks the chain once more.
        if (isFirst && isMined && call.method === "eth_chainId") {
          isFirst = false;
          void abortLater();
        }
        isMined ||= call.method === "eth_getTransactionReceipt" && Boolean(response);
        return response;
      },
    };
    const first = await hook.now.pay({ ...quick, token: "native", signer });
    if (first) tooLate += 1;
    expect(first ?? (await hook.now.retry()), `${turns} turns`).toMatchObject({ amount: AMOUNT });
    expect([wallet.countRequests() - requested, await wallet.countMined()]).toEqual([1, before + 1]);
  }
  expect(tooLate).toBeGreaterThan(0);
  expect(tooLate).toBeLessThan(40);
});

test("an abort while the wallet prompts leaves no request, and a later approval pays once", async () => {
  const requests = watchRequests();
  const wallet = createPageWallet(4);
  const before = await wallet.countMined();
  const accept = wallet.holdRequests();
  const hook = await renderHook(() => usePayment(), await newAccount());
  const paying = hook.now.pay({ ...quick, token: "native", signer: wallet.provider });
  await eventually(() => expect(wallet.countRequests()).toBe(1));
  hook.now.abort();
  expect(await paying).toBeUndefined();
  await eventually(() => expect(hook.now.state).toEqual({ status: "aborted" }));
  await eventually(() => expect(requests.countOpen()).toBe(0));
  accept();
  expect(await hook.now.retry()).toMatchObject({ amount: AMOUNT });
  expect(wallet.countRequests()).toBe(1);
  expect(await wallet.countMined()).toBe(before + 1);
});

test("two concurrent calls pay once", async () => {
  const wallet = createPageWallet(3);
  const before = await wallet.countMined();
  const hook = await renderHook(() => usePayment(), await newAccount());
  const options = { ...quick, token: "native", signer: wallet.provider } as const;
  const [one, other] = await Promise.all([hook.now.pay(options), hook.now.pay(options)]);
  expect(one).toMatchObject({ amount: AMOUNT });
  expect(other).toBe(one);
  expect(await wallet.countMined()).toBe(before + 1);
});

test("unmounting ends the waiting: nothing is rendered, requested or left running", async () => {
  const complaints = watchConsole();
  const requests = watchRequests();
  const wallet = createPageWallet(4);
  const hook = await renderHook(() => usePayment(), await newAccount());
  const options = { ...quick, token: "native", confirmations: 9, signer: wallet.provider } as const;
  const paying = hook.now.pay(options);
  await eventually(() => expect(hook.now.state).toMatchObject({ progress: { now: { state: "sent" } } }));
  const { pay, retry } = hook.now;
  await hook.unmount();
  const rendered = hook.all.length;
  expect(await paying).toBeUndefined();
  expect(await Promise.all([pay(options), retry()])).toEqual([undefined, undefined]);
  await eventually(() => expect(requests.countOpen()).toBe(0));
  const started = requests.countStarted();
  // Nothing can be waited for: a payment that ran all the same would poll many times in this while.
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect([requests.countStarted(), hook.all.length, wallet.countRequests()]).toEqual([started, rendered, 1]);
  expect(complaints).toEqual([]);
});
