import { iterateFiles } from "keeplight";
import { getEntries } from "keeplight/parts";
import { expect, test } from "vitest";
import { type Base, chooseBase, findChanged, MAX_DELTAS, shareObjects } from "../src/delta.ts";
import { forgetDrive } from "../src/memory.ts";
import { mergeStates } from "../src/merge.ts";
import { type DriveState, TOP } from "../src/state.ts";
import { bytes, drivesForTests } from "./drive-for-tests.ts";
import { createRandom, randomCid, stampAt } from "./random-states.ts";

const { createAccount, devnet } = drivesForTests();

type Account = Awaited<ReturnType<typeof createAccount>>;

/** A drive of 100 files, and its versions. */
async function createDrive() {
  const account = await createAccount();
  const { drive, journal } = await account.open();
  const random = createRandom(1);
  const files = await drive.adopt(Array.from({ length: 100 }, (_, at) => ({ cid: randomCid(random), name: `${at}` })));
  await drive.sync();
  return { account, drive, journal, names: files.map(({ name }) => name).sort() };
}

/** Sizes of the stored versions, those that were stored last first. */
async function listVersions({ own: { endpoints }, apiKey }: Account) {
  const versions: { id: string; size: number }[] = [];
  for await (const { id, fileName, fileSizeInBytes } of iterateFiles({ endpoints, apiKey })) {
    if (fileName === "keeplight-drive") versions.push({ id, size: Number(fileSizeInBytes) });
  }
  return versions;
}

/** Smaller than a version of 100 files, in bytes. */
const SMALL = 4_000;

test("a version has what changed, and everything once in a while; a new device has all of it", async () => {
  const { account, drive, names } = await createDrive();
  for (let change = 0; change < MAX_DELTAS + 2; change++) {
    await drive.rename(drive.find(change === 0 ? "0" : `renamed ${change - 1}`) ?? "", `renamed ${change}`);
    await drive.sync();
  }
  const sizes = (await listVersions(account)).map(({ size }) => size > SMALL);
  // The whole list, as many changes as build on it, the whole list again, and one more.
  expect(sizes).toEqual([false, true, ...Array(MAX_DELTAS).fill(false), true]);
  const { drive: other } = await account.open();
  expect(
    other
      .list()
      .map(({ name }) => name)
      .sort(),
  ).toEqual([...names.slice(1), `renamed ${MAX_DELTAS + 1}`].sort());
  // It goes on with the same base.
  await other.rename("50", "by another device");
  await other.sync();
  expect((await listVersions(account))[0]?.size).toBeLessThan(SMALL);
  await drive.sync();
  expect(drive.find("by another device")).toBeDefined();
  expect(drive.status()).toMatchObject({ unsaved: false, problems: [] });
});

test("a version builds on nothing that the listing does not have any more", async () => {
  const { account, drive, names } = await createDrive();
  await drive.rename("0", "x");
  await drive.sync();
  const [newest, base] = await listVersions(account);
  expect([newest?.size ?? 0, base?.size ?? 0].map((size) => size > SMALL)).toEqual([false, true]);
  await account.kit.deleteFile(base?.id ?? "");
  await drive.rename("1", "y");
  await drive.sync();
  expect((await listVersions(account))[0]?.size).toBeGreaterThan(SMALL);
  const { drive: other } = await account.open();
  expect(
    other
      .list()
      .map(({ name }) => name)
      .sort(),
  ).toEqual([...names.slice(2), "x", "y"].sort());
});

test("a device that could not read what another one stored stores everything", async () => {
  const { account, drive } = await createDrive();
  const { drive: other } = await account.open();
  await other.rename("0", "x");
  await other.sync();
  const removeFault = devnet().faults.add({ service: "gateway", action: { kind: "respond", status: 500 } });
  await drive.rename("1", "y");
  await drive.sync().catch(() => undefined);
  removeFault();
  expect(drive.status().problems.map(({ kind }) => kind)).toContain("missing");
  const sizes = (await listVersions(account)).map(({ size }) => size > SMALL);
  expect(sizes).toEqual([true, false, true]);
  await drive.sync();
  expect([drive.find("x"), drive.find("y")]).not.toContain(undefined);
});

test("a journal opens a drive without a network, by the base and what changed since", async () => {
  const { account, drive, journal, names } = await createDrive();
  await drive.rename("0", "x");
  await drive.close();
  const nowhere = { api: "http://127.0.0.1:1", upload: "http://127.0.0.1:1", gateway: "http://127.0.0.1:1" };
  const { drive: offline } = await account.open(journal.place, { endpoints: { ...account.own.endpoints, ...nowhere } });
  expect(
    offline
      .list()
      .map(({ name }) => name)
      .sort(),
  ).toEqual([...names.slice(1), "x"].sort());
  // What is forgotten is read again, and nothing of it is hidden.
  await forgetDrive(getEntries(journal), account.own.signer.address.toLowerCase());
  const kept = (await getEntries(journal).list()).map((entry) => JSON.stringify(entry));
  expect(kept.join()).not.toMatch(/"name"|"99"/);
  const { drive: again } = await account.open(journal.place);
  expect(
    again
      .list()
      .map(({ name }) => name)
      .sort(),
  ).toEqual([...names.slice(1), "x"].sort());
  expect(again.status().problems).toEqual([]);
});

test("what has changed is found by its content, and enough of it makes the next version a whole one", () => {
  const stamp = stampAt(1);
  const entry = (name: string) => ({
    folder: true as const,
    parent: [TOP, stamp] as const,
    name: [name, stamp] as const,
  });
  const ids = Array.from({ length: 8 }, (_, at) => `${at}`.padStart(16, "x"));
  const create = (): DriveState => ({ entries: new Map(ids.map((id) => [id, entry(id)])) });
  const base: Base = { cid: "bafy", number: 5, state: create() };
  // The same entries in other objects.
  const known = create();
  expect(findChanged(base.state, known).entries.size).toBe(0);
  const renamed = (count: number) =>
    mergeStates(known, {
      entries: new Map(ids.slice(0, count).map((id) => [id, { name: ["new", stampAt(2)] as const }])),
    });
  const changed = findChanged(base.state, renamed(2));
  expect([...changed.entries.keys()]).toEqual(ids.slice(0, 2));
  expect(mergeStates(base.state, changed)).toEqual(renamed(2));
  expect(chooseBase(base, changed, renamed(2), 6)).toBe(base);
  expect(chooseBase(base, findChanged(base.state, renamed(3)), renamed(3), 6)).toBeUndefined();
  expect(chooseBase(base, changed, renamed(2), 5 + MAX_DELTAS)).toBe(base);
  expect(chooseBase(base, changed, renamed(2), 6 + MAX_DELTAS)).toBeUndefined();
  expect(chooseBase(undefined, changed, renamed(2), 6)).toBeUndefined();
  const shared = shareObjects(base, renamed(2)).state;
  expect(shared).toEqual(base.state);
  expect(ids.filter((id) => shared.entries.get(id) === known.entries.get(id))).toEqual(ids.slice(2));
});

test("a received file is a change as well", async () => {
  const { account, drive } = await createDrive();
  const other = await createAccount();
  const { drive: theirs } = await other.open();
  await theirs.add(bytes("sun"), { name: "summer.jpg" });
  await drive.receive(await theirs.createMessage("summer.jpg", { to: account.own.signer.address }));
  await drive.sync();
  expect((await listVersions(account))[0]?.size).toBeLessThan(SMALL);
  const { drive: another } = await account.open();
  expect(another.listReceived()).toEqual(drive.listReceived());
});
