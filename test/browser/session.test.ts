import { Wallet } from "ethers";
import { afterEach, expect, inject, onTestFinished, test, vi } from "vitest";
import { openDrive, openSession, type Session, type SessionCallOptions } from "../../packages/drive/src/index.ts";
import { endSession, type KeptState, keepNothing } from "../../packages/drive/src/session/kept.ts";
import { clearSession } from "../../packages/drive/src/session/shown-session.ts";
import { openVault } from "../../packages/drive/src/session/vault.ts";
import { createKit, type Journal, openJournal } from "../../src/index.ts";
import { getEntries, getKeeper } from "../../src/parts/index.ts";
import { eventually } from "../support/eventually.ts";

const { endpoints } = inject("devnet");

const DAY_MS = 86_400_000;

afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  const session = await openSession({ endpoints });
  await session.signOut({ discard: true });
  session.close();
});

/** A wallet that counts what it signs. */
function createWallet() {
  const wallet = Wallet.createRandom();
  let signatures = 0;
  return {
    address: wallet.address.toLowerCase(),
    count: () => signatures,
    signer: {
      getAddress: async () => wallet.address,
      async signMessage(message: string) {
        signatures++;
        return wallet.signMessage(message);
      },
    },
  };
}

/** Opens the site in another tab. */
async function openTab(): Promise<Session> {
  const session = await openSession({ endpoints });
  onTestFinished(() => session.close());
  return session;
}

function optionsOf(session: Session): SessionCallOptions & { pauseMs: 0; journal: Journal } {
  const state = session.state();
  if (state.status !== "signed-in" || !state.options.journal) throw new Error(`not signed in: ${state.status}`);
  return { ...state.options, journal: state.options.journal, pauseMs: 0 };
}

/** The calls of a tab, as the account of its session. */
const kitOf = (session: Session) => createKit(optionsOf(session));

async function upload(session: Session): Promise<string> {
  const [file] = await kitOf(session).uploadTextEncrypted("hello", { name: "a.txt" });
  return file?.Hash ?? "";
}

const ended = expect.objectContaining({ code: "SESSION_ENDED" });

test("an account signs twice, and never again in this or another tab", async () => {
  const wallet = createWallet();
  const first = await openTab();
  expect(first.state()).toEqual({ status: "signed-out" });
  await first.signIn({ signer: wallet.signer });
  expect(wallet.count()).toBe(2);
  const cid = await upload(first);

  const second = await openTab();
  const state = second.state();
  expect(state).toMatchObject({ status: "signed-in", account: wallet.address, isKept: true });
  expect(new TextDecoder().decode(await kitOf(second).decrypt(cid))).toBe("hello");
  await second.signIn({ signer: wallet.signer });
  await Promise.all([first, second].map((tab) => tab.signIn({ signer: wallet.signer })));
  expect(wallet.count()).toBe(2);
});

test("tabs take turns with a refresh token, which is valid once", async () => {
  const wallet = createWallet();
  const first = await openTab();
  await first.signIn({ signer: wallet.signer, endsAfterMs: 300 * DAY_MS });
  const cid = await upload(first);
  const second = await openTab();
  const before = wallet.count();
  vi.useFakeTimers({ toFake: ["Date"] });
  for (let day = 1; day <= 3; day++) {
    vi.setSystemTime(Date.now() + 40 * DAY_MS);
    const tabs = [first, second, await openTab()];
    const read = await Promise.all(tabs.map(async (tab) => kitOf(tab).decrypt(cid)));
    expect(read.map((bytes) => new TextDecoder().decode(bytes))).toEqual(["hello", "hello", "hello"]);
  }
  expect(wallet.count()).toBe(before);
});

test("a session ends in time, also one whose browser was closed, and its calls sign nothing", async () => {
  const wallet = createWallet();
  const tab = await openTab();
  await tab.signIn({ signer: wallet.signer, endsAfterMs: 3_600_000 });
  const options = optionsOf(tab);
  await tab.endAfter(7_200_000);
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime(Date.now() + 3_700_000);
  expect((await openTab()).state().status).toBe("signed-in");
  vi.setSystemTime(Date.now() + 3_700_000);
  await expect(createKit(options).uploadTextEncrypted("hello", { name: "a.txt" })).rejects.toEqual(ended);
  const later = await openTab();
  expect(later.state().status).toBe("signed-out");
  await eventually(() => expect(tab.state()).toEqual({ status: "signed-out" }));
  await expect(tab.endAfter(1_000)).rejects.toEqual(ended);
  expect(wallet.count()).toBe(2);

  // A clock that is set back does not bring it to life again.
  await tab.signIn({ signer: wallet.signer });
  vi.setSystemTime(Date.now() - DAY_MS);
  expect((await openTab()).state().status).toBe("signed-out");
});

test("a tab that closes does not end a session without the others learning of it", async () => {
  const tab = await openTab();
  await tab.signIn({ signer: createWallet().signer, endsAfterMs: 3_600_000 });
  const other = await openTab();
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime(Date.now() + 3_700_000);
  const looked = tab.resume();
  tab.close();
  await looked;
  await openTab();
  await eventually(() => expect(other.state()).toEqual({ status: "signed-out" }));
});

test("a session whose time is over ends even if the browser can no longer read what it keeps", async () => {
  const tab = await openTab();
  await tab.signIn({ signer: createWallet().signer });
  vi.useFakeTimers({ toFake: ["Date"] });
  const broken = vi.spyOn(IDBDatabase.prototype, "transaction").mockImplementation(() => {
    throw new DOMException("The disk is broken", "UnknownError");
  });
  document.dispatchEvent(new Event("visibilitychange"));
  await eventually(() => expect(broken).toHaveBeenCalled());
  expect(tab.state().status).toBe("signed-in");
  vi.setSystemTime(Date.now() + 2 * DAY_MS);
  document.dispatchEvent(new Event("visibilitychange"));
  await eventually(() => expect(tab.state()).toEqual({ status: "signed-out" }));
});

test("a lock ends all tabs and keeps what is not complete; the drive is as before after the next sign-in", async () => {
  const wallet = createWallet();
  const first = await openTab();
  await first.signIn({ signer: wallet.signer });
  const options = optionsOf(first);
  const drive = await openDrive(options);
  await drive.createFolder("Letters");
  await drive.close();
  await getEntries(options.journal).start("share", { cid: "x", nodesDone: [] });
  const second = await openTab();
  const other = optionsOf(second);

  const notified = vi.fn();
  second.subscribe(notified);
  await first.lock();
  expect(first.state()).toEqual({ status: "signed-out" });
  await eventually(() => expect(second.state()).toEqual({ status: "signed-out" }));
  expect(notified).toHaveBeenCalled();
  for (const each of [options, other]) {
    await expect(createKit(each).uploadTextEncrypted("hello", { name: "a.txt" })).rejects.toEqual(ended);
    await expect(openDrive(each)).rejects.toEqual(ended);
  }
  const kept = (await getEntries(options.journal).list()).map((entry) => ("state" in entry ? entry.state : undefined));
  expect(kept).toContainEqual({ cid: "x", nodesDone: [] });
  expect(JSON.stringify(kept)).not.toMatch(/Letters|"key":/);
  expect(JSON.stringify(kept)).toContain('"seen"');

  await second.signIn({ signer: wallet.signer });
  expect(wallet.count()).toBe(4);
  const again = await openDrive(optionsOf(second));
  onTestFinished(() => again.close());
  expect(again.list().map(({ path }) => path)).toEqual(["Letters"]);
  expect(again.status().problems).toEqual([]);
  expect((await optionsOf(second).journal.list()).map(({ kind }) => kind)).toEqual(["share"]);
});

test("signing out removes the journal, unless something in it would be lost", async () => {
  const wallet = createWallet();
  const tab = await openTab();
  await tab.signIn({ signer: wallet.signer });
  const { journal } = optionsOf(tab);
  await getEntries(journal).start("share", { cid: "x", nodesDone: [] });
  await expect(tab.signOut()).rejects.toMatchObject({
    code: "SESSION_UNFINISHED",
    details: { operations: 1, unsaved: false },
  });
  expect(tab.state().status).toBe("signed-in");
  const names = async () => (await indexedDB.databases()).map(({ name }) => name);
  expect(await names()).toContain(journal.place);
  await tab.signOut({ discard: true });
  expect(tab.state()).toEqual({ status: "signed-out" });
  expect(await names()).not.toContain(journal.place);
  expect((await openTab()).state()).toEqual({ status: "signed-out" });
});

test("another account in the wallet, or in another tab, changes nothing that is shown", async () => {
  const [alice, bob] = [createWallet(), createWallet()];
  const first = await openTab();
  await first.signIn({ signer: alice.signer });
  await first.connect(bob.signer);
  expect(first.state()).toMatchObject({ account: alice.address, walletAccount: expect.stringMatching(/^0x/) });
  const cid = await upload(first);
  await kitOf(first).decrypt(cid);
  await first.connect(alice.signer);
  expect(first.state()).not.toHaveProperty("walletAccount", expect.any(String));
  expect(bob.count()).toBe(0);

  const second = await openTab();
  await second.signIn({ signer: bob.signer });
  expect(second.state()).toMatchObject({ status: "signed-in", account: bob.address });
  await eventually(() => expect(first.state()).toEqual({ status: "signed-out", other: bob.address }));
  await first.resume();
  expect(first.state()).toMatchObject({ status: "signed-in", account: bob.address });
});

test("what another tab has signed in is shown only if the user wants that, however often the tab looks", async () => {
  const [alice, bob] = [createWallet(), createWallet()];
  const [first, second] = [await openTab(), await openTab()];
  await first.signIn({ signer: alice.signer });
  const options = optionsOf(first);
  // It changes nothing of what is shown.
  await first.resume();
  expect(optionsOf(first).signer).toBe(options.signer);
  await second.signIn({ signer: bob.signer });
  const shown = { status: "signed-out", other: bob.address };
  await eventually(() => expect(first.state()).toEqual(shown));
  for (let look = 0; look < 3; look++) {
    document.dispatchEvent(new Event("visibilitychange"));
    await second.endAfter(DAY_MS + look);
    await first.connect(undefined);
  }
  await first.endAfter(DAY_MS).catch(() => undefined);
  expect(first.state()).toEqual(shown);
});

test("a lock waits for no wallet, and what the wallet signs later signs nobody in", async () => {
  const [alice, bob] = [createWallet(), createWallet()];
  const [first, second] = [await openTab(), await openTab()];
  await first.signIn({ signer: alice.signer });
  const held = optionsOf(second.state().status === "signed-in" ? second : first);
  let confirm = () => {};
  const asked = new Promise<void>((resolve) => {
    confirm = resolve;
  });
  const prompted = vi.fn();
  const signingIn = first.signIn({
    signer: {
      getAddress: bob.signer.getAddress,
      async signMessage(message: string) {
        prompted();
        await asked;
        return bob.signer.signMessage(message);
      },
    },
  });
  const outcome = expect(signingIn).rejects.toEqual(ended);
  await eventually(() => expect(prompted).toHaveBeenCalled());
  await first.lock();
  expect(first.state()).toEqual({ status: "signed-out" });
  await expect(held.journal.list()).rejects.toEqual(ended);
  await expect(openDrive(held)).rejects.toEqual(ended);
  confirm();
  await outcome;
  expect((await openTab()).state()).toEqual({ status: "signed-out" });
});

test("a sign-in is for its own key nodes, and a wallet with another account is not asked", async () => {
  const [alice, bob] = [createWallet(), createWallet()];
  const tab = await openTab();
  await tab.signIn({ signer: alice.signer });
  const cid = await upload(tab);
  // The same nodes by another name: for all that a client knows, those of somebody else.
  const others = { ...endpoints, keyNodes: endpoints.keyNodes.replace("127.0.0.1", "localhost") };
  const kit = createKit({ ...optionsOf(tab), endpoints: others });
  await tab.connect(bob.signer);
  await expect(kit.decrypt(cid)).rejects.toMatchObject({ code: "SIGNATURE_REJECTED" });
  expect([alice.count(), bob.count()]).toEqual([2, 0]);
  await tab.connect(alice.signer);
  await kit.decrypt(cid);
  expect(alice.count()).toBe(3);
});

test("signing out does not lose a change of the drive that is not stored", async () => {
  const wallet = createWallet();
  const tab = await openTab();
  await tab.signIn({ signer: wallet.signer });
  await (await openDrive(optionsOf(tab))).close();
  const drive = await openDrive({ ...optionsOf(tab), endpoints: { ...endpoints, upload: "http://127.0.0.1:1" } });
  await drive.createFolder("Letters");
  await drive.close().catch(() => undefined);
  await expect(tab.signOut()).rejects.toMatchObject({
    code: "SESSION_UNFINISHED",
    details: { operations: 0, unsaved: true },
  });
  const again = await openDrive(optionsOf(tab));
  expect(again.find("Letters")).toBeDefined();
  await again.close();
  await tab.signOut();
  expect(tab.state().status).toBe("signed-out");
});

test("what a page that was killed has left of a session is removed by the next one", async () => {
  const wallet = createWallet();
  const tab = await openTab();
  await tab.signIn({ signer: wallet.signer });
  const { journal } = optionsOf(tab);
  const drive = await openDrive(optionsOf(tab));
  await drive.createFolder("Letters");
  await drive.close();
  tab.close();
  // As if it had been killed once the end of the session was kept, and nothing was removed yet.
  const vault = getEntries(await openJournal({ name: "keeplight" }));
  const entry = await vault.open<KeptState>("session", "", keepNothing);
  await entry.update({ current: undefined, ...endSession(entry.state, entry.state.current?.id) });
  await entry.release();
  expect((await openTab()).state().status).toBe("signed-out");
  const entries = getEntries(await openJournal({ name: journal.place }));
  await eventually(async () => {
    expect(JSON.stringify(await entries.list())).not.toMatch(/Letters|"key":/);
    expect(JSON.stringify(await vault.list())).not.toMatch(/jwt:|apiKey/);
  });
});

test("what is removed of an earlier session is none of what its account uses now", async () => {
  const wallet = createWallet();
  const tab = await openTab();
  await tab.signIn({ signer: wallet.signer });
  const options = optionsOf(tab);
  const drive = await openDrive(options);
  await drive.createFolder("Letters");
  await drive.close();
  const vault = await openVault();
  await clearSession(vault, { id: "of an earlier one", account: wallet.address, journal: options.journal.place });
  expect(JSON.stringify(await getEntries(options.journal).list())).toMatch(/Letters/);
});

test("a token that arrives after its session has ended is not kept", async () => {
  const wallet = createWallet();
  const tab = await openTab();
  await tab.signIn({ signer: wallet.signer });
  const { signer } = optionsOf(tab);
  const vault = getEntries(await openJournal({ name: "keeplight" }));
  const jwt = { token: "jwt:late", refreshToken: "r:late", refreshAt: Number.POSITIVE_INFINITY };
  const exchanged = getKeeper(signer)?.exchange(endpoints.keyNodes, async () => {
    const entry = await vault.open<KeptState>("session", "", keepNothing);
    await entry.update({ current: undefined, ...endSession(entry.state, entry.state.current?.id) });
    await entry.release();
    return jwt;
  });
  await expect(exchanged).resolves.toEqual(jwt);
  expect(JSON.stringify(await vault.list())).not.toMatch(/jwt:/);
});

test("a signature that is refused leaves what was before", async () => {
  const [alice, bob] = [createWallet(), createWallet()];
  const tab = await openTab();
  await tab.signIn({ signer: alice.signer });
  for (const refused of [1, 2]) {
    let asked = 0;
    const signer = {
      getAddress: bob.signer.getAddress,
      signMessage: (message: string) =>
        ++asked === refused ? Promise.reject(new Error("no")) : bob.signer.signMessage(message),
    };
    await expect(tab.signIn({ signer })).rejects.toMatchObject({ code: "SIGNATURE_REJECTED" });
    expect(tab.state()).toMatchObject({ status: "signed-in", account: alice.address });
    expect((await openTab()).state()).toMatchObject({ account: alice.address });
  }
  await expect(tab.signIn({ signer: alice.signer, endsAfterMs: 0 })).rejects.toMatchObject({ code: "INVALID_OPTION" });
});

test("no database has a name, a key or an address in clear", async () => {
  const wallet = createWallet();
  const tab = await openTab();
  await tab.signIn({ signer: wallet.signer });
  const options = optionsOf(tab);
  const drive = await openDrive(options);
  await drive.createFolder("Redundancies");
  await drive.close();
  const secrets = [wallet.address.slice(2), options.apiKey, "Redundancies", "jwt:"];
  const found: string[] = [];
  let records = 0;
  for (const { name = "" } of await indexedDB.databases()) {
    for (const text of [name, ...(await dump(name))]) {
      records++;
      for (const secret of secrets)
        if (text.toLowerCase().includes(secret.toLowerCase())) found.push(`${name}: ${secret}`);
    }
  }
  expect(records).toBeGreaterThan(5);
  expect(found).toEqual([]);
  expect(Object.keys(localStorage).join()).not.toContain(wallet.address);
});

/** All records of a database as text, keys included. */
async function dump(name: string): Promise<string[]> {
  const opening = indexedDB.open(name);
  await new Promise((resolve, reject) => {
    opening.onsuccess = resolve;
    opening.onerror = reject;
  });
  const database = opening.result;
  const texts: string[] = [];
  for (const store of database.objectStoreNames) {
    const objects = database.transaction(store).objectStore(store);
    const [keys, values] = [objects.getAllKeys(), objects.getAll()];
    await new Promise((resolve) => {
      values.onsuccess = resolve;
    });
    texts.push(...keys.result.map(String));
    for (const value of values.result as unknown[]) {
      texts.push(value instanceof Uint8Array ? new TextDecoder("latin1").decode(value) : JSON.stringify(value));
    }
  }
  database.close();
  return texts;
}
