import { expect, test, vi } from "vitest";
import {
  isUnfinished,
  kavachInspect,
  kavachRepair,
  kavachRevoke,
  kavachSetAccessConditions,
  kavachShare,
  kavachTransferOwnership,
  openJournal,
  uploadEncrypted,
} from "../../src/index.ts";
import { createEntries, type EntryData } from "../../src/journal/entries.ts";
import { openJournalKey } from "../../src/journal/journal-key.ts";
import { type CallKind, supersede } from "../../src/keys/nodes/call-entry.ts";
import { journalStore } from "../../src/platform/node/journal-folder.ts";
import { samples } from "../access-conditions/samples.ts";
import { as, saveKey } from "../kavach/saved-keys.ts";
import { account, devnetForTests, getApiKey } from "../support/devnet-wire.ts";
import { failure } from "../support/failure.ts";
import { scratch } from "../support/files.ts";

const devnet = devnetForTests();
const addressOf = (n: number) => account(devnet(), n).address;
const owner = () => ({ ...as(devnet(), 0), attempts: 1 });

/** How each node responds to an account that requests its shard. */
async function statesFor(n: number, cid: string): Promise<string[]> {
  const { nodes } = await kavachInspect(cid, as(devnet(), n));
  return nodes.map(({ state }) => state);
}

/** Makes a call while node 3 is down; returns its error. */
async function interrupt(call: () => Promise<unknown>) {
  devnet().stopNode(3);
  const error = await failure(call());
  devnet().startNode(3);
  if (!isUnfinished(error)) throw error;
  return error;
}

/** Opens the entries of a journal as another process does, and lists the owner calls among them. */
async function openEntries(folder: string) {
  const store = await journalStore({ folder });
  const entries = createEntries(store, await openJournalKey(store));
  const listed = (await entries.list()) as (EntryData & { state: { parameters: { endpoints: object } } })[];
  return { entries, listed };
}

const refused = Array(5).fill("refused");
const holds = Array(5).fill("holds");

test("an interrupted share does not readmit someone who was revoked later, by whatever resumes it", async () => {
  const { cid } = await saveKey(devnet());
  const folder = await scratch();
  const journal = await openJournal({ folder });
  const shareTo: [string, string] = [addressOf(1), addressOf(2)];
  const error = await interrupt(() => kavachShare(cid, { ...owner(), shareTo, journal }));
  await kavachRevoke(cid, { ...owner(), revokeTo: addressOf(1), journal: await openJournal({ folder }) });
  expect(await failure(error.resume() as Promise<unknown>)).toMatchObject({ code: "JOURNAL_ENTRY_UNKNOWN" });
  expect(await journal.resumeAll(owner())).toMatchObject([{ kind: "share", result: { nodes: [1, 2, 3, 4, 5] } }]);
  expect(await statesFor(1, cid)).toEqual(refused);
  expect(await statesFor(2, cid)).toEqual(holds);
  expect(await journal.list()).toEqual([]);
});

test("an interrupted share of which a later revoke leaves nothing is over", async () => {
  const { cid } = await saveKey(devnet());
  const journal = await openJournal({ folder: await scratch() });
  await interrupt(() => kavachShare(cid, { ...owner(), shareTo: addressOf(1), journal }));
  await interrupt(() => kavachRevoke(cid, { ...owner(), revokeTo: addressOf(1), journal }));
  expect(await journal.list()).toMatchObject([{ kind: "revoke" }]);
  await journal.resumeAll(owner());
  expect(await statesFor(1, cid)).toEqual(refused);
});

test("an interrupted revoke does not shut out someone with whom the file was shared again later", async () => {
  const { cid } = await saveKey(devnet(), { shareTo: [addressOf(1)] });
  const journal = await openJournal({ folder: await scratch() });
  await interrupt(() => kavachRevoke(cid, { ...owner(), revokeTo: addressOf(1), journal }));
  await kavachShare(cid, { ...owner(), shareTo: addressOf(1), journal });
  expect(await journal.resumeAll(owner())).toEqual([]);
  expect(await statesFor(1, cid)).toEqual(holds);
});

test("a call that was made after the clock was set back is still the later one", async () => {
  const { cid } = await saveKey(devnet());
  const journal = await openJournal({ folder: await scratch() });
  await interrupt(() => kavachShare(cid, { ...owner(), shareTo: [addressOf(1), addressOf(2)], journal }));
  const [share] = await journal.list();
  vi.spyOn(Date, "now").mockReturnValue((share?.startedAt ?? 0) - 60_000);
  await interrupt(() => kavachRevoke(cid, { ...owner(), revokeTo: addressOf(1), journal }));
  vi.restoreAllMocks();
  expect(await journal.list()).toMatchObject([{ kind: "share" }, { kind: "revoke" }]);
  await journal.resumeAll(owner());
  expect(await statesFor(1, cid)).toEqual(refused);
  expect(await statesFor(2, cid)).toEqual(holds);
});

test("calls on other files, and with other people, stay as they are", async () => {
  const [one, other] = [await saveKey(devnet()), await saveKey(devnet())];
  const journal = await openJournal({ folder: await scratch() });
  await interrupt(() => kavachShare(one.cid, { ...owner(), shareTo: addressOf(1), journal }));
  await kavachRevoke(other.cid, { ...owner(), revokeTo: addressOf(1), journal });
  await kavachRevoke(one.cid, { ...owner(), revokeTo: addressOf(2), journal });
  await journal.resumeAll(owner());
  expect(await statesFor(1, one.cid)).toEqual(holds);
});

test("interrupted conditions and transfers are over once later ones have started", async () => {
  const { cid } = await saveKey(devnet());
  const journal = await openJournal({ folder: await scratch() });
  const { native, token } = samples;
  await interrupt(() => kavachSetAccessConditions(cid, { ...owner(), conditions: [native], journal }));
  await kavachSetAccessConditions(cid, { ...owner(), conditions: [token], journal });
  expect(await journal.list()).toEqual([]);
  await interrupt(() => kavachShare(cid, { ...owner(), shareTo: addressOf(1), journal }));
  await kavachTransferOwnership(cid, { ...owner(), newOwner: addressOf(2), journal });
  expect(await journal.list()).toEqual([]);
});

test("a process that was killed right after it recorded a revoke readmits nobody, in any order of resuming", async () => {
  for (const order of [0, 1]) {
    const { cid } = await saveKey(devnet());
    const folder = await scratch();
    const journal = await openJournal({ folder });
    await interrupt(() => kavachShare(cid, { ...owner(), shareTo: addressOf(1), journal }));
    // What is on the disk at that moment.
    const { entries, listed } = await openEntries(folder);
    const { state } = listed[0] ?? expect.fail("no share");
    const parameters = { revokeTo: [addressOf(1)], endpoints: state.parameters.endpoints };
    await (await entries.start("revoke", { ...state, parameters, nodesDone: [] })).release();
    const ids = (await journal.list()).map(({ id }) => id);
    for (const id of order === 0 ? ids : ids.reverse()) {
      await journal.resume(id, owner()).catch(() => undefined);
      // It never had the share.
      expect((await statesFor(1, cid))[2]).toBe("refused");
    }
    expect(await statesFor(1, cid)).toEqual(refused);
    expect(await journal.list()).toEqual([]);
  }
});

test("a call that would be undone by one that another process is making is refused, and sends nothing", async () => {
  const { cid } = await saveKey(devnet(), { shareTo: [addressOf(1)] });
  const folder = await scratch();
  const journal = await openJournal({ folder });
  await interrupt(() => kavachShare(cid, { ...owner(), shareTo: addressOf(1), journal }));
  const { entries, listed } = await openEntries(folder);
  const owned = await entries.acquire(listed[0]?.id ?? "");
  const revoke = kavachRevoke(cid, { ...owner(), revokeTo: addressOf(1), journal });
  expect(await failure(revoke)).toMatchObject({ code: "JOURNAL_ENTRY_BUSY", details: { id: owned.id } });
  expect(await statesFor(1, cid)).toEqual(holds);
  await owned.release();
  expect(await journal.list()).toMatchObject([{ kind: "share" }]);
});

test("a call that is refused because of one of two earlier ones leaves the other as it was", async () => {
  const { cid } = await saveKey(devnet());
  const folder = await scratch();
  const journal = await openJournal({ folder });
  const shareTo = addressOf(1);
  const first = await interrupt(() => kavachShare(cid, { ...owner(), shareTo, journal }));
  await interrupt(() => kavachShare(cid, { ...owner(), shareTo: [shareTo, addressOf(2)], journal }));
  const { entries, listed } = await openEntries(folder);
  const owned = await entries.acquire(listed[1]?.id ?? "");
  const revoke = kavachRevoke(cid, { ...owner(), revokeTo: shareTo, journal });
  expect(await failure(revoke)).toMatchObject({ code: "JOURNAL_ENTRY_BUSY", details: { id: owned.id } });
  await owned.release();
  expect(await journal.list()).toHaveLength(2);
  await first.resume();
  expect(await statesFor(1, cid)).toEqual(holds);
});

test("the error of a share does not readmit someone whose revoke was only recorded", async () => {
  const { cid } = await saveKey(devnet());
  const folder = await scratch();
  const journal = await openJournal({ folder });
  const error = await interrupt(() => kavachShare(cid, { ...owner(), shareTo: addressOf(1), journal }));
  // What is on the disk once another process was killed right after it recorded the revoke.
  const { entries, listed } = await openEntries(folder);
  const { state } = listed[0] ?? expect.fail("no share");
  const parameters = { revokeTo: [addressOf(1)], endpoints: state.parameters.endpoints };
  await (await entries.start("revoke", { ...state, parameters, nodesDone: [] })).release();
  expect(await failure(error.resume() as Promise<unknown>)).toMatchObject({ code: "JOURNAL_ENTRY_UNKNOWN" });
  expect((await statesFor(1, cid))[2]).toBe("refused");
  await journal.resumeAll(owner());
  expect(await statesFor(1, cid)).toEqual(refused);
});

test("an interrupted repair does not readmit someone who was revoked later, by whatever resumes it", async () => {
  const { cid } = await saveKey(devnet(), { lost: [4, 5], shareTo: [addressOf(1), addressOf(2)] });
  const journal = await openJournal({ folder: await scratch() });
  const action = { kind: "cut", atByte: 0 } as const;
  devnet().faults.add({ service: "keyNodes", node: 5, method: "POST", path: "/api/setSharedKey", times: 1, action });
  const error = await failure(kavachRepair(cid, { ...owner(), journal }));
  if (!isUnfinished(error)) throw error;
  expect(await statesFor(1, cid)).toEqual(holds);
  await kavachRevoke(cid, { ...owner(), revokeTo: addressOf(1), journal });
  expect(await failure(error.resume() as Promise<unknown>)).toMatchObject({ code: "JOURNAL_ENTRY_UNKNOWN" });
  expect(await statesFor(1, cid)).toEqual(refused);
  expect(await journal.resumeAll(owner())).toMatchObject([{ kind: "repair" }]);
  expect(await statesFor(1, cid)).toEqual(refused);
  expect(await statesFor(2, cid)).toEqual(holds);
});

test("without a journal, too, the error of a share does not readmit someone who was revoked later", async () => {
  const { cid } = await saveKey(devnet());
  const error = await interrupt(() => kavachShare(cid, { ...owner(), shareTo: [addressOf(1), addressOf(2)] }));
  await kavachRevoke(cid, { ...owner(), revokeTo: addressOf(1) });
  for (const _ of [1, 2]) {
    expect(await failure(error.resume() as Promise<unknown>)).toMatchObject({ code: "OPERATION_UNDONE" });
  }
  expect(await statesFor(1, cid)).toEqual(refused);
});

test("without a journal a call that was aborted while it waited for its turn is not made after a later one", async () => {
  const { cid } = await saveKey(devnet());
  const share = { service: "keyNodes", method: "PUT", path: "/api/setSharedKey" } as const;
  const undo = devnet().faults.add({ ...share, times: 1, action: { kind: "delay", ms: 300 } });
  const before = devnet().requests().length;
  const first = kavachShare(cid, { ...owner(), shareTo: addressOf(2) });
  const controller = new AbortController();
  const waiting = kavachShare(cid, { ...owner(), shareTo: addressOf(1), signal: controller.signal });
  const revoke = kavachRevoke(cid, { ...owner(), revokeTo: addressOf(1) });
  const isShared = () =>
    devnet()
      .requests()
      .slice(before)
      .some(({ path }) => path.startsWith(share.path));
  await expect.poll(isShared, { interval: 1 }).toBe(true);
  controller.abort();
  const error = await failure(waiting);
  await Promise.all([first, revoke]);
  undo();
  if (!isUnfinished(error)) throw error;
  expect(await failure(error.resume() as Promise<unknown>)).toMatchObject({ code: "OPERATION_UNDONE" });
  expect(await statesFor(1, cid)).toEqual(refused);
});

test("without a journal a call is completed after later ones that leave all of it to do", async () => {
  const [{ cid }, other] = [await saveKey(devnet()), await saveKey(devnet())];
  const error = await interrupt(() => kavachShare(cid, { ...owner(), shareTo: addressOf(1) }));
  await kavachRevoke(other.cid, { ...owner(), revokeTo: addressOf(1) });
  await kavachRevoke(cid, { ...owner(), revokeTo: addressOf(2) });
  await kavachShare(cid, { ...owner(), shareTo: addressOf(1) });
  expect(await error.resume()).toEqual({ nodes: [1, 2, 3, 4, 5] });
  expect(await statesFor(1, cid)).toEqual(holds);
});

test("without a journal an interrupted repair, or upload, readmits nobody who was revoked later", async () => {
  const { cid } = await saveKey(devnet(), { lost: [4, 5], shareTo: [addressOf(1)] });
  const action = { kind: "cut", atByte: 0 } as const;
  devnet().faults.add({ service: "keyNodes", node: 5, method: "POST", path: "/api/setSharedKey", times: 1, action });
  const repair = await failure(kavachRepair(cid, owner()));
  if (!isUnfinished(repair)) throw repair;
  await kavachRevoke(cid, { ...owner(), revokeTo: addressOf(1) });
  expect(await failure(repair.resume() as Promise<unknown>)).toMatchObject({ code: "OPERATION_UNDONE" });
  expect(await statesFor(1, cid)).toEqual(refused);

  const apiKey = await getApiKey(devnet(), account(devnet(), 0));
  const source = [new Uint8Array([1, 2, 3])];
  const upload = await interrupt(() => uploadEncrypted(source, { ...owner(), apiKey, shareTo: addressOf(1) }));
  const [{ Hash: uploaded }] = upload.details["unfinished"] as [{ Hash: string }];
  // Some nodes do not know the file yet.
  await failure(kavachRevoke(uploaded, { ...owner(), revokeTo: addressOf(1) }));
  await upload.resume();
  expect(await statesFor(1, uploaded)).toEqual(refused);
  expect(await statesFor(0, uploaded)).toEqual(holds);
});

test("a repair does not readmit someone whose revoke is not complete", async () => {
  const { cid } = await saveKey(devnet(), { shareTo: [addressOf(1), addressOf(2)] });
  const journal = await openJournal({ folder: await scratch() });
  devnet().stopNode(1);
  await failure(kavachRevoke(cid, { ...owner(), revokeTo: addressOf(1), journal }));
  devnet().startNode(1);
  for (const node of [2, 3]) {
    const fault = { service: "keyNodes", node, path: "/api/retrieveSharedKey", times: 1 } as const;
    devnet().faults.add({ ...fault, action: { kind: "respond", json: { payload: null } } });
  }
  const { nodes, sharedTo } = await kavachRepair(cid, { ...owner(), journal });
  expect(nodes.map(({ done }) => done)).toEqual(["kept", "saved", "saved", "kept", "kept"]);
  expect(sharedTo).toEqual([addressOf(2).toLowerCase()]);
  await journal.resumeAll(owner());
  expect(await statesFor(1, cid)).toEqual(refused);
  expect(await statesFor(2, cid)).toEqual(holds);
});

const endpoints = { keyNodes: "http://a" };
const keyShards = [1, 2, 3, 4, 5];

test.each<[CallKind, object, CallKind, object, object | undefined]>([
  ["save", { keyShards, shareTo: ["a", "b"] }, "revoke", { revokeTo: ["a"] }, { keyShards, shareTo: ["b"] }],
  ["save", { keyShards, shareTo: "a" }, "revoke", { revokeTo: ["a"] }, { keyShards }],
  ["conditions", { keyShards, conditions: 1 }, "conditions", { conditions: 2 }, { keyShards, conditions: 2 }],
  ["conditions", { keyShards, conditions: 1 }, "conditions", { keyShards, conditions: 2 }, undefined],
  ["transfer", { newOwner: "a" }, "transfer", { newOwner: "b" }, undefined],
  ["delegate", { delegates: ["a"] }, "delegate", { delegates: ["b"] }, undefined],
  ["delegate", { delegates: ["a"] }, "delegate", { delegates: [] }, undefined],
  ["delegate", { delegates: ["a"] }, "revoke", { revokeTo: ["a"] }, { delegates: ["a"] }],
  ["share", { shareTo: ["a"] }, "transfer", { resetSharedTo: false }, { shareTo: ["a"] }],
  ["revoke", { revokeTo: ["a"] }, "transfer", { resetSharedTo: true }, undefined],
  ["share", { shareTo: ["a"] }, "share", { shareTo: ["a"] }, { shareTo: ["a"] }],
  ["share", { shareTo: ["a"] }, "revoke", { revokeTo: ["a"], endpoints: { keyNodes: "http://b" } }, { shareTo: ["a"] }],
])("%s %j, then %s %j: what is left to do", (before, given, after, changed, left) => {
  const call = { owner: "0x", cid: "b", nodesDone: [] };
  const older = { kind: before, state: { ...call, parameters: { endpoints, ...given } } };
  const newer = { kind: after, state: { ...call, parameters: { endpoints, ...changed } } };
  expect(supersede(older, newer)).toEqual(left && { endpoints, ...left });
});
