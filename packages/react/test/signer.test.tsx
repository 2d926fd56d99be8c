import { type HDNodeWallet, Wallet } from "ethers";
import { expect, test } from "vitest";
import { createKit, type SignerLike } from "../../../src/index.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { type Eip1193Provider, useDecrypt, useFiles, useKit } from "../src/index.ts";
import { newAccount, type Rendered, renderHook, watchConsole } from "./rig.tsx";
import { watchRequests } from "./traffic.ts";

/** Counts the signatures of a wallet. */
function countSignatures(wallet: HDNodeWallet) {
  let signatures = 0;
  const sign = (message: string) => {
    signatures++;
    return wallet.signMessage(message);
  };
  return { sign, count: () => signatures };
}

const adapters: [string, (wallet: HDNodeWallet, sign: (message: string) => Promise<string>) => SignerLike][] = [
  ["with an address", ({ address }, sign) => ({ address, getAddress: () => address, signMessage: sign })],
  ["that returns its address", ({ address }, sign) => ({ getAddress: () => address, signMessage: sign })],
  [
    "that returns a promise of its address",
    ({ address }, sign) => ({ getAddress: async () => address, signMessage: sign }),
  ],
  [
    "in the form of viem",
    ({ address }, sign) => ({ address, signMessage: ({ message }: { message: string }) => sign(message) }),
  ],
];

async function storeText(text: string) {
  const account = await newAccount();
  const [{ Hash: cid }] = await createKit(account).uploadTextEncrypted(text);
  return { account, cid };
}

test.each(adapters)(
  "an adapter %s, written in place, is one kit, one list request and one signature",
  async (_, adapt) => {
    const { account, cid } = await storeText("mine");
    const { sign, count } = countSignatures(account.signer);
    const provide = () => ({ ...account, signer: adapt(account.signer, sign) });
    const requests = watchRequests();
    const hook = await renderHook(() => ({ kit: useKit(), files: useFiles(), opening: useDecrypt() }), provide());
    await eventually(() => expect(hook.now.files.status).toBe("success"));
    const loaded = requests.countTo("files_uploaded");
    for (let at = 0; at < 10; at++) {
      await hook.provide(provide());
      expect(await hook.now.opening.decrypt(cid)).toMatchObject({ cid });
    }
    expect(new Set(hook.all.slice(-10).map(({ kit }) => kit)).size).toBe(1);
    expect(requests.countTo("files_uploaded")).toBe(loaded);
    // Accounts are shared by all signers of a page; this signer object had to prove itself once.
    expect(count()).toBe(1);
  },
);

test.each(adapters)("an adapter %s of another account leaves nothing of the previous one", async (_, adapt) => {
  const complaints = watchConsole();
  const { account, cid } = await storeText("secret of A");
  const other = await newAccount();
  const provide = ({ signer, ...rest }: typeof account) => ({
    ...rest,
    signer: adapt(signer, (message) => signer.signMessage(message)),
  });
  const hook = await renderHook(() => ({ files: useFiles(), opening: useDecrypt() }), provide(account));
  await hook.now.opening.decrypt(cid);
  await eventually(() => expect(hook.now.files.data?.totalFiles).toBe(1));
  const before = hook.all.length;
  await hook.provide(provide(other));
  await eventually(() => expect(hook.now.files.data?.totalFiles).toBe(0));
  const seen = hook.all.slice(before);
  expect(new Set(seen.map(({ opening }) => opening.state.status))).toEqual(new Set(["idle"]));
  expect(seen.flatMap(({ files }) => files.data?.files ?? [])).toEqual([]);
  expect(complaints).toEqual([]);
});

test("a signer that only promises its address switches its account, and signs for no other in between", async () => {
  const { account, cid } = await storeText("secret of A");
  const other = Wallet.createRandom();
  const promise = (wallet: HDNodeWallet) => ({
    ...account,
    signer: { getAddress: async () => wallet.address, signMessage: (message: string) => wallet.signMessage(message) },
  });
  const hook = await renderHook(() => useDecrypt(), promise(account.signer));
  await hook.now.decrypt(cid);
  await eventually(() => expect(hook.now.state.status).toBe("done"));
  await hook.provide(promise(other));
  await eventually(() => expect(hook.now.state.status).toBe("idle"));
  await hook.now.decrypt(cid);
  await eventually(() => expect(hook.now.state).toMatchObject({ status: "failed", error: { code: "NODE_REFUSED" } }));
  await hook.provide(promise(account.signer));
  await eventually(async () => expect(await hook.now.decrypt(cid)).toMatchObject({ cid }));
});

/** A wallet's provider whose user has chosen one of two accounts. */
function createSwitchingWallet(...accounts: [HDNodeWallet, HDNodeWallet]) {
  let [chosen] = accounts;
  const listeners = new Set<(value: never) => void>();
  const provider: Eip1193Provider = {
    async request({ method, params = [] }) {
      if (method !== "personal_sign") return [chosen.address];
      const bytes = String(params[0]).slice(2).match(/../g) ?? [];
      return chosen.signMessage(Uint8Array.from(bytes, (hex) => Number.parseInt(hex, 16)));
    },
    on: (_, listener) => listeners.add(listener),
    removeListener: (_, listener) => listeners.delete(listener),
  };
  const choose = (account: HDNodeWallet) => {
    chosen = account;
    for (const listener of listeners) listener([account.address] as never);
  };
  return { provider, choose, countListeners: () => listeners.size };
}

test("a wallet's provider is followed to its next account, which sees nothing of the previous one", async () => {
  const { account, cid } = await storeText("secret of A");
  const other = Wallet.createRandom();
  const wallet = createSwitchingWallet(account.signer, other);
  const hook: Rendered<ReturnType<typeof useDecrypt>> = await renderHook(() => useDecrypt(), {
    ...account,
    signer: wallet.provider,
  });
  await hook.now.decrypt(cid);
  await eventually(() => expect(hook.now.state.status).toBe("done"));
  wallet.choose(account.signer);
  expect(hook.now.state.status).toBe("done");
  wallet.choose(other);
  await eventually(() => expect(hook.now.state.status).toBe("idle"));
  await hook.now.decrypt(cid);
  await eventually(() => expect(hook.now.state).toMatchObject({ status: "failed", error: { code: "NODE_REFUSED" } }));
  await hook.unmount();
  expect(wallet.countListeners()).toBe(0);
});
