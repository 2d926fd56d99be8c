import { type HDNodeWallet, Wallet } from "ethers";
import { expect, inject, onTestFinished, test } from "vitest";
import { createApiKey } from "../../src/index.ts";
import { type Eip1193Provider, useWallet } from "../../src/react/index.ts";
import { eventually } from "../support/eventually.ts";
import { renderHook, watchConsole } from "./rig.tsx";

const { endpoints } = inject("devnet");

/** A wallet as browsers inject them: it signs, and tells of changes. */
function fakeWallet() {
  const accounts = [Wallet.createRandom(), Wallet.createRandom()] as [HDNodeWallet, HDNodeWallet];
  const heard = new Map<string, Set<(value: unknown) => void>>();
  let [current] = accounts;
  let refuses = false;
  const provider: Eip1193Provider = {
    async request({ method, params = [] }) {
      if (refuses) throw Object.assign(new Error("User rejected the request"), { code: 4001 });
      if (method === "eth_chainId") return "0x89";
      if (method !== "personal_sign") return [current.address];
      return current.signMessage(
        Uint8Array.from(String(params[0]).slice(2).match(/../g) ?? [], (hex) => parseInt(hex, 16)),
      );
    },
    on: (event, listener) =>
      heard.set(event, (heard.get(event) ?? new Set()).add(listener as (value: unknown) => void)),
    removeListener: (event, listener) => heard.get(event)?.delete(listener as (value: unknown) => void),
  };
  const emit = (event: string, value: unknown) => {
    for (const listener of heard.get(event) ?? []) listener(value);
  };
  return {
    accounts,
    provider,
    listeners: () => [...heard.values()].reduce((sum, set) => sum + set.size, 0),
    refuse: () => {
      refuses = true;
    },
    agree: () => {
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
  const tell = () => window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
  window.addEventListener("eip6963:requestProvider", tell);
  onTestFinished(() => window.removeEventListener("eip6963:requestProvider", tell));
  tell();
}

const info = { uuid: crypto.randomUUID(), name: "Test wallet", icon: "data:image/svg+xml,<svg/>", rdns: "test.wallet" };

test("wallets that announce themselves are found once each, and what is no wallet is passed over", async () => {
  const heard = watchConsole();
  const { provider } = fakeWallet();
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
  expect(heard).toEqual([]);
});

test("a connected wallet signs in, and its account and chain are followed", async () => {
  const wallet = fakeWallet();
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
  expect(wallet.listeners()).toBe(0);
});

test("a wallet whose user says no is a failure in the state, and may be asked again", async () => {
  const wallet = fakeWallet();
  wallet.refuse();
  const hook = await renderHook(() => useWallet(), {});
  const choice = { id: "x", name: "X", provider: wallet.provider };
  await hook.now.connect(choice);
  await eventually(() => expect(hook.now.state).toMatchObject({ status: "failed", error: { code: 4001 } }));
  wallet.agree();
  await hook.now.connect(choice);
  await eventually(() => expect(hook.now.state).toMatchObject({ status: "connected" }));
});

test("when the component goes, it hears the wallet no more", async () => {
  const wallet = fakeWallet();
  const hook = await renderHook(() => useWallet(), {});
  await hook.now.connect({ id: "x", name: "X", provider: wallet.provider });
  await eventually(() => expect(wallet.listeners()).toBe(3));
  const { connect } = hook.now;
  await hook.unmount();
  expect(wallet.listeners()).toBe(0);
  await connect({ id: "x", name: "X", provider: wallet.provider });
  expect(wallet.listeners()).toBe(0);
});
