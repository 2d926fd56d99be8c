import { type HDNodeWallet, Wallet } from "ethers";
import { expect, inject, onTestFinished, test } from "vitest";
import { createApiKey } from "../../../src/index.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { type Eip1193Provider, useWallet } from "../src/index.ts";
import { renderHook, watchConsole } from "./rig.tsx";

const { endpoints } = inject("devnet");

/** A wallet as browsers inject them: it signs, and emits events. */
function createFakeWallet() {
  const accounts = [Wallet.createRandom(), Wallet.createRandom()] as [HDNodeWallet, HDNodeWallet];
  const subscriptions = new Map<string, Set<(value: unknown) => void>>();
  const requests: string[] = [];
  let [current] = accounts;
  let refuses = false;
  const provider: Eip1193Provider = {
    async request({ method, params = [] }) {
      requests.push(method);
      if (refuses) throw Object.assign(new Error("User rejected the request"), { code: 4001 });
      if (method === "eth_chainId") return "0x89";
      if (method !== "personal_sign") return [current.address];
      return current.signMessage(
        Uint8Array.from(String(params[0]).slice(2).match(/../g) ?? [], (hex) => parseInt(hex, 16)),
      );
    },
    on: (event, listener) =>
      subscriptions.set(event, (subscriptions.get(event) ?? new Set()).add(listener as (value: unknown) => void)),
    removeListener: (event, listener) => subscriptions.get(event)?.delete(listener as (value: unknown) => void),
  };
  const emit = (event: string, value: unknown) => {
    for (const listener of subscriptions.get(event) ?? []) listener(value);
  };
  return {
    accounts,
    provider,
    requests,
    countListeners: () => [...subscriptions.values()].reduce((sum, set) => sum + set.size, 0),
    refuse: () => {
      refuses = true;
    },
    accept: () => {
      refuses = false;
    },
    changeAccount(to: HDNodeWallet | undefined) {
      if (to) current = to;
      emit("accountsChanged", to ? [to.address] : []);
    },
    changeChain: (id: string) => emit("chainChanged", id),
  };
}

function announce(detail: unknown): void {
  const dispatch = () => window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
  window.addEventListener("eip6963:requestProvider", dispatch);
  onTestFinished(() => window.removeEventListener("eip6963:requestProvider", dispatch));
  dispatch();
}

const info = { uuid: crypto.randomUUID(), name: "Test wallet", icon: "data:image/svg+xml,<svg/>", rdns: "test.wallet" };

test("each wallet that announces itself is listed once, and malformed announcements are ignored", async () => {
  const complaints = watchConsole();
  const { provider } = createFakeWallet();
  announce({ info, provider });
  const hook = await renderHook(() => useWallet(), {});
  await eventually(() => expect(hook.now.wallets).toHaveLength(1));
  for (const detail of [undefined, null, { info }, { info: { name: 1 }, provider }, { info, provider: {} }])
    announce(detail);
  announce({ info: { ...info, rdns: "late.wallet", icon: "https://tracker.example/x.png" }, provider });
  await eventually(() => expect(hook.now.wallets).toHaveLength(2));
  expect(hook.now.wallets).toEqual([
    { id: "test.wallet", name: "Test wallet", icon: info.icon, provider },
    { id: "late.wallet", name: "Test wallet", provider },
  ]);
  expect(complaints).toEqual([]);
});

test("a connected wallet signs in, and the state follows its account and chain", async () => {
  const wallet = createFakeWallet();
  const hook = await renderHook(() => useWallet(), {});
  const choice = { id: "x", name: "X", provider: wallet.provider };
  await hook.now.connect(choice);
  await eventually(() => expect(hook.now.state).toMatchObject({ status: "connected", chainId: 137 }));
  const first = hook.now.state;
  if (first.status !== "connected") throw new Error("not connected");
  expect(first.address).toBe(wallet.accounts[0].address);
  expect(await createApiKey({ signer: first.signer, endpoints })).toEqual(expect.any(String));

  wallet.changeChain("0xa");
  await eventually(() => expect(hook.now.state).toMatchObject({ chainId: 10 }));
  expect(hook.now.state).toMatchObject({ signer: first.signer });
  wallet.changeAccount(wallet.accounts[1]);
  await eventually(() => expect(hook.now.state).toMatchObject({ address: wallet.accounts[1].address }));
  expect(hook.now.state).not.toMatchObject({ signer: first.signer });
  wallet.changeAccount(undefined);
  await eventually(() => expect(hook.now.state).toEqual({ status: "disconnected" }));
  expect(wallet.countListeners()).toBe(0);
});

test("a rejected connection is a failure in the state, and connecting again may succeed", async () => {
  const wallet = createFakeWallet();
  wallet.refuse();
  const hook = await renderHook(() => useWallet(), {});
  const choice = { id: "x", name: "X", provider: wallet.provider };
  await hook.now.connect(choice);
  await eventually(() => expect(hook.now.state).toMatchObject({ status: "failed", error: { code: 4001 } }));
  wallet.accept();
  await hook.now.connect(choice);
  await eventually(() => expect(hook.now.state).toMatchObject({ status: "connected" }));
});

test("unmounting removes all listeners from the wallet", async () => {
  const wallet = createFakeWallet();
  const hook = await renderHook(() => useWallet(), {});
  await hook.now.connect({ id: "x", name: "X", provider: wallet.provider });
  await eventually(() => expect(wallet.countListeners()).toBe(3));
  const { connect } = hook.now;
  await hook.unmount();
  expect(wallet.countListeners()).toBe(0);
  await connect({ id: "x", name: "X", provider: wallet.provider });
  expect(wallet.countListeners()).toBe(0);
});

test("a wallet that shares its account already connects without a prompt, also at the next visit, until it is disconnected", async () => {
  const wallet = createFakeWallet();
  announce({ info: { ...info, rdns: "known.wallet" }, provider: wallet.provider });
  const hook = await renderHook(() => useWallet(), {});
  await eventually(() => expect(hook.now.wallets).toHaveLength(1));
  expect(hook.now.state).toEqual({ status: "disconnected" });
  await hook.now.connect(hook.now.wallets[0] as (typeof hook.now.wallets)[number]);
  await hook.unmount();

  const next = await renderHook(() => useWallet(), {});
  await eventually(() => expect(next.now.state).toMatchObject({ status: "connected", chainId: 137 }));
  expect(wallet.countListeners()).toBe(3);
  expect(wallet.requests).not.toContain("eth_requestAccounts");
  next.now.disconnect();
  await next.unmount();

  const last = await renderHook(() => useWallet(), {});
  await eventually(() => expect(last.now.wallets).toHaveLength(1));
  const requests = wallet.requests.length;
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect([last.now.state.status, wallet.requests.length]).toEqual(["disconnected", requests]);
});

test("without `reconnect`, or without a shared account, nothing connects by itself", async () => {
  const wallet = createFakeWallet();
  announce({ info: { ...info, rdns: "known.wallet" }, provider: wallet.provider });
  for (const reconnect of [false, true]) {
    const hook = await renderHook(() => useWallet({ reconnect }), {});
    await eventually(() => expect(hook.now.wallets).toHaveLength(1));
    await hook.now.connect(hook.now.wallets[0] as (typeof hook.now.wallets)[number]);
    await hook.unmount();
    // Nothing is kept that is not used.
    expect(localStorage.getItem("keeplight.wallet") !== null).toBe(reconnect);
  }
  const before = wallet.requests.length;
  const next = await renderHook(() => useWallet({ reconnect: false }), {});
  await eventually(() => expect(next.now.wallets).toHaveLength(1));
  expect(wallet.requests).toHaveLength(before);
  await next.unmount();
  wallet.refuse();
  const refused = await renderHook(() => useWallet(), {});
  await eventually(() => expect(wallet.requests.length).toBeGreaterThan(before));
  expect(refused.now.state).toEqual({ status: "disconnected" });
  refused.now.disconnect();
});
