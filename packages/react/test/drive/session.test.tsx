import { afterEach, expect, inject, onTestFinished, test, vi } from "vitest";
import { getEntries } from "../../../../src/parts/index.ts";
import { eventually } from "../../../../test/support/eventually.ts";
import { openSession } from "../../../drive/src/index.ts";
import { useKit } from "../../src/index.ts";
import { renderHook, watchConsole } from "../rig.tsx";
import { cleanUp, createWallet, openPage } from "./rig.tsx";

const { endpoints } = inject("devnet");

afterEach(cleanUp);

type Page = Awaited<ReturnType<typeof openPage>>;

async function expectState(page: Page, state: object): Promise<void> {
  await eventually(() => expect(page.now.state).toMatchObject(state));
}

/** Opens the site in another tab. */
async function openTab() {
  const session = await openSession({ endpoints });
  onTestFinished(() => session.close());
  return session;
}

test("an account signs in once; after a reload, uploads and decryption of the kit sign nothing", async () => {
  const complaints = watchConsole();
  const wallet = createWallet();
  const page = await openPage(wallet.connected, { pauseMs: 0 });
  expect(page.all[0]?.state).toEqual({ status: "loading" });
  await expectState(page, { status: "signed-out" });
  expect(await page.now.signIn()).toBe(true);
  await expectState(page, { status: "signed-in", account: wallet.address, isKept: true, isSigningIn: false });
  expect(page.all.map(({ state }) => state.status)).toContain("signing-in");
  const [{ Hash: cid }] = await page.kit.uploadTextEncrypted("hello");
  expect(wallet.count()).toBe(2);
  await page.unmount();

  const again = await openPage(undefined, { pauseMs: 0 });
  await expectState(again, { status: "signed-in", account: wallet.address });
  expect(new TextDecoder().decode(await again.kit.decrypt(cid))).toBe("hello");
  const [{ Hash: other }] = await again.kit.uploadTextEncrypted("bye");
  expect(new TextDecoder().decode(await again.kit.decrypt(other))).toBe("bye");
  expect(wallet.count()).toBe(2);
  expect(complaints).toEqual([]);
});

test("the kit stays the same as long as the session, and the functions always", async () => {
  const [alice, bob] = [createWallet(), createWallet()];
  const page = await openPage(alice.connected);
  await page.now.signIn();
  await expectState(page, { status: "signed-in" });
  expect(await page.now.endAfter(3_600_000)).toBe(true);
  await page.connect({ status: "disconnected" });
  await page.connect(bob.connected);
  await expectState(page, { walletAccount: expect.stringMatching(new RegExp(bob.address, "i")) });
  await page.connect(alice.connected);
  await eventually(() => expect(page.now.state).not.toHaveProperty("walletAccount"));
  expect(await page.now.signIn({ endsAfterMs: 7_200_000 })).toBe(true);
  expect(new Set(page.kits).size).toBe(1);
  // React 18 renders a component twice with a state of its own each before it mounts it.
  expect(new Set(page.all.slice(2).map(({ signIn }) => signIn)).size).toBe(1);
  expect([alice.count(), bob.count()]).toEqual([2, 0]);
});

test("what is kept for a session is used by no other signer, not even of its account", async () => {
  const wallet = createWallet();
  const page = await openPage(wallet.connected);
  await page.now.signIn();
  await expectState(page, { status: "signed-in" });
  const { state } = page.now;
  if (state.status !== "signed-in") throw new Error("not signed in");
  const { signer: _, ...options } = { ...state.options, pauseMs: 0 };
  const hook = await renderHook(() => useKit(), { ...options, signer: state.options.signer });
  const [{ Hash: cid }] = await hook.now.uploadTextEncrypted("hello");
  await page.now.lock();
  const { address, signer } = wallet;
  await hook.provide({ ...options, journal: undefined, signer: { ...signer, address } });
  await hook.now.decrypt(cid);
  expect(wallet.count()).toBe(3);
});

test("a lock in another tab unmounts what was signed in", async () => {
  const page = await openPage(createWallet().connected);
  await page.now.signIn();
  await eventually(() => expect(page.countMounted()).toBe(1));
  const { kit } = page;
  await (await openTab()).lock();
  await eventually(() => expect(page.now.state).toEqual({ status: "signed-out" }));
  expect(page.countMounted()).toBe(0);
  await expect(kit.uploadTextEncrypted("hello")).rejects.toMatchObject({ code: "SESSION_ENDED" });
});

test("the account of the wallet takes the place of the one before only if it signs in", async () => {
  const [alice, bob] = [createWallet(), createWallet()];
  const page = await openPage(alice.connected);
  await page.now.signIn();
  await expectState(page, { account: alice.address });
  await page.connect(bob.connected);
  await expectState(page, {
    account: alice.address,
    walletAccount: expect.stringMatching(new RegExp(bob.address, "i")),
  });
  const before = page.kit;
  await page.now.signIn();
  await expectState(page, { account: bob.address, isSigningIn: false });
  expect(page.now.state).not.toHaveProperty("walletAccount");
  expect(page.kit).not.toBe(before);
  expect([alice.count(), bob.count()]).toEqual([2, 2]);
  expect(page.all.slice(page.all.findIndex(({ state }) => state.status === "signed-in"))).not.toContainEqual(
    expect.objectContaining({ state: { status: "signing-in" } }),
  );
});

test("a sign-in that fails shows why, and who was signed in before", async () => {
  const [alice, bob] = [createWallet(), createWallet(() => true)];
  const page = await openPage();
  await expectState(page, { status: "signed-out" });
  expect(await page.now.signIn()).toBe(false);
  await expectState(page, { status: "signed-out", error: { code: "MISSING_OWNER" } });
  expect(await page.now.signIn({ signer: bob.signer })).toBe(false);
  await expectState(page, { status: "signed-out", error: { code: "SIGNATURE_REJECTED" } });
  expect(await page.now.signIn({ signer: alice.signer })).toBe(true);
  await expectState(page, { status: "signed-in", isSigningIn: false });
  expect(page.now.state).not.toHaveProperty("error");

  await page.connect(bob.connected);
  const rendered = page.kits.length;
  expect(await page.now.signIn()).toBe(false);
  const failed = {
    status: "signed-in",
    account: alice.address,
    isSigningIn: false,
    error: { code: "SIGNATURE_REJECTED" },
  };
  await expectState(page, failed);
  expect(new Set(page.kits).size).toBe(1);
  expect(page.kits.length).toBeGreaterThan(rendered);
  expect(page.countMounted()).toBe(1);
  expect(await page.now.endAfter(0)).toBe(false);
  await expectState(page, { status: "signed-in", error: { code: "INVALID_OPTION" } });
  expect(await page.now.lock()).toBe(true);
  await eventually(() => expect(page.now.state).toEqual({ status: "signed-out" }));
});

test("another account of another tab is shown only if this one resumes", async () => {
  const [alice, bob] = [createWallet(), createWallet()];
  const page = await openPage(alice.connected);
  await page.now.signIn();
  await expectState(page, { account: alice.address });
  await (await openTab()).signIn({ signer: bob.signer });
  await eventually(() => expect(page.now.state).toEqual({ status: "signed-out", other: bob.address }));
  expect(await page.now.resume()).toBe(true);
  await expectState(page, { status: "signed-in", account: bob.address });
});

test("signing out fails while something would be lost", async () => {
  const page = await openPage(createWallet().connected);
  await page.now.signIn();
  await expectState(page, { status: "signed-in" });
  const { state } = page.now;
  if (state.status !== "signed-in" || !state.options.journal) throw new Error("not signed in");
  await getEntries(state.options.journal).start("share", { cid: "x", nodesDone: [] });
  expect(await page.now.signOut()).toBe(false);
  await expectState(page, { status: "signed-in", error: { code: "SESSION_UNFINISHED" } });
  expect(await page.now.signOut({ discard: true })).toBe(true);
  await eventually(() => expect(page.now.state).toEqual({ status: "signed-out" }));
});

/** Counts the channels by which sessions follow other tabs. */
function watchChannels(): () => number {
  let open = 0;
  class Watched extends BroadcastChannel {
    constructor(name: string) {
      super(name);
      if (name === "keeplight session") open++;
    }
    override close(): void {
      if (this.name === "keeplight session") open--;
      super.close();
    }
  }
  vi.stubGlobal("BroadcastChannel", Watched);
  onTestFinished(() => void vi.unstubAllGlobals());
  return () => open;
}

test("unmounting ends a sign-in that waits for its wallet, closes the session, and starts nothing any more", async () => {
  const countChannels = watchChannels();
  let asked = false;
  const wallet = createWallet();
  const signer = {
    ...wallet.signer,
    signMessage() {
      asked = true;
      return new Promise<string>(() => undefined);
    },
  };
  const page = await openPage();
  await expectState(page, { status: "signed-out" });
  const signingIn = page.now.signIn({ signer });
  await eventually(() => expect(asked).toBe(true));
  await expectState(page, { status: "signing-in" });
  expect(countChannels()).toBe(1);
  const { signIn, lock, reload } = page.now;
  await page.unmount();
  expect(await signingIn).toBe(false);
  await eventually(() => expect(countChannels()).toBe(0));
  const rendered = page.all.length;
  expect([await signIn({ signer }), await lock(), await reload()]).toEqual([false, false, undefined]);
  expect([page.all.length, countChannels()]).toEqual([rendered, 0]);

  // Not even a session that is opened too late stays.
  const hasty = await openPage();
  await hasty.unmount();
  await eventually(() => expect(countChannels()).toBe(0));
});

test("a session that cannot be opened is a failure in the state, and opens by reload", async () => {
  const broken = vi.spyOn(indexedDB, "open").mockImplementation(() => {
    throw new TypeError("broken");
  });
  onTestFinished(() => broken.mockRestore());
  const wallet = createWallet();
  const page = await openPage(wallet.connected);
  await expectState(page, { status: "failed", error: expect.objectContaining({ code: "CANNOT_WRITE" }) });
  expect(await page.now.signIn()).toBe(false);
  await expectState(page, { status: "failed" });
  broken.mockRestore();
  await page.now.reload();
  await expectState(page, { status: "signed-out" });
  await page.now.signIn();
  await expectState(page, { status: "signed-in", account: wallet.address });
});
