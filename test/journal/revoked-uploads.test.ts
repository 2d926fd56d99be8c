import { expect, test } from "vitest";
import {
  kavachInspect,
  kavachRevoke,
  kavachSetAccessConditions,
  openJournal,
  type UnfinishedUpload,
  uploadEncrypted,
} from "../../src/index.ts";
import { createEntries } from "../../src/journal/entries.ts";
import { openJournalKey } from "../../src/journal/journal-key.ts";
import { supersedeFiles } from "../../src/keys/nodes/call-entry.ts";
import { journalStore } from "../../src/platform/node/journal-folder.ts";
import { samples } from "../access-conditions/samples.ts";
import { as } from "../kavach/saved-keys.ts";
import { account, devnetForTests, getApiKey } from "../support/devnet-wire.ts";
import { failure } from "../support/failure.ts";
import { scratch } from "../support/files.ts";

const devnet = devnetForTests();
const addressOf = (n: number) => account(devnet(), n).address;
const owner = () => ({ ...as(devnet(), 0), attempts: 1 });

const refused = Array(5).fill("refused");
const holds = Array(5).fill("holds");

/** How each node responds to an account that requests its shard. */
async function statesFor(n: number, cid: string): Promise<string[]> {
  const { nodes } = await kavachInspect(cid, as(devnet(), n));
  return nodes.map(({ state }) => state);
}

/** Uploads a file shared to accounts 1 and 2; all five nodes save its key, and the response of the last is lost. */
async function interruptUpload() {
  const folder = await scratch();
  const journal = await openJournal({ folder });
  const undo = devnet().faults.add({
    service: "keyNodes",
    node: 5,
    method: "POST",
    path: "/api/setSharedKey",
    times: 1,
    action: { kind: "cut", atByte: 0 },
  });
  const apiKey = await getApiKey(devnet(), account(devnet(), 0));
  const shareTo: [string, string] = [addressOf(1), addressOf(2)];
  const error = await failure(
    uploadEncrypted(new File(["text"], "a.txt"), { ...owner(), apiKey, shareTo, journal, attempts: 1 }),
  );
  undo();
  const [upload] = await journal.list();
  const cid = upload?.cids[0] ?? "";
  expect(await statesFor(1, cid)).toEqual(holds);
  return { folder, journal, cid, id: upload?.id ?? "", error: error as unknown as UnfinishedUpload };
}

test.each(["journal", "error"] as const)(
  "an interrupted upload does not readmit someone who was revoked later, resumed by its %s",
  async (by) => {
    const { folder, journal, cid, error } = await interruptUpload();
    await kavachRevoke(cid, { ...owner(), revokeTo: addressOf(1), journal: await openJournal({ folder }) });
    if (by === "error") await error.resume();
    else expect(await journal.resumeAll(owner())).toMatchObject([{ kind: "upload", result: [{ Hash: cid }] }]);
    expect(await statesFor(1, cid)).toEqual(refused);
    expect(await statesFor(2, cid)).toEqual(holds);
    expect(await journal.list()).toEqual([]);
  },
);

async function openEntries(folder: string) {
  const store = await journalStore({ folder });
  return createEntries(store, await openJournalKey(store));
}

test("a process that was killed right after it recorded a revoke does not let an upload readmit anybody", async () => {
  const { folder, journal, cid, id } = await interruptUpload();
  const entries = await openEntries(folder);
  const [upload] = await entries.list();
  const { state } = upload as { state: { owner: string; options: { endpoints: object } } };
  const parameters = { revokeTo: [addressOf(1).toLowerCase()], endpoints: state.options.endpoints };
  const revoke = await entries.start("revoke", { owner: state.owner, cid, parameters, nodesDone: [] });
  await revoke.release();
  await journal.resume(revoke.id, owner());
  await journal.resume(id, owner());
  expect(await statesFor(1, cid)).toEqual(refused);
  expect(await statesFor(2, cid)).toEqual(holds);
});

test("an upload that is resumed before a revoke that was only recorded does not share to who is revoked", async () => {
  const { folder, journal, cid, id } = await interruptUpload();
  await kavachRevoke(cid, { ...owner(), revokeTo: addressOf(1) });
  const entries = await openEntries(folder);
  const [upload] = await entries.list();
  const { state } = upload as { state: { owner: string; options: { endpoints: object } } };
  const parameters = { revokeTo: [addressOf(1).toLowerCase()], endpoints: state.options.endpoints };
  await (await entries.start("revoke", { owner: state.owner, cid, parameters, nodesDone: [] })).release();
  await journal.resume(id, owner());
  expect(await statesFor(1, cid)).toEqual(refused);
  expect(await statesFor(2, cid)).toEqual(holds);
});

test("a revoke is refused while another process resumes an upload that would undo it, and sends nothing", async () => {
  const { folder, journal, cid, id } = await interruptUpload();
  const owned = await (await openEntries(folder)).acquire(id);
  const revoke = kavachRevoke(cid, { ...owner(), revokeTo: addressOf(1), journal });
  expect(await failure(revoke)).toMatchObject({ code: "JOURNAL_ENTRY_BUSY", details: { id } });
  expect(await statesFor(1, cid)).toEqual(holds);
  // It does not concern those it was not shared to.
  await kavachRevoke(cid, { ...owner(), revokeTo: addressOf(3), journal });
  await kavachSetAccessConditions(cid, { ...owner(), conditions: [samples.native], journal });
  await owned.release();
  expect(await journal.list()).toMatchObject([{ kind: "upload" }]);
});

test("a revoke leaves the other files of an upload shared", () => {
  const endpoints = { keyNodes: "http://a" };
  const [first, second, third] = [1, 2, 3].map((n) => `0x${String(n).repeat(40)}`);
  const upload = {
    owner: "0x",
    options: { shareTo: [first, second], endpoints },
    files: [{ attempts: [{ cids: ["a", "b"] }] }, { attempts: [], stored: { Hash: "c" } }],
  };
  const [one, two] = upload.files;
  const revoke = (cid: string, revokeTo: unknown[], keyNodes = "http://a") => {
    const state = { owner: "0x", cid, parameters: { revokeTo, endpoints: { keyNodes } }, nodesDone: [] };
    return supersedeFiles(upload, { kind: "revoke", state });
  };
  expect(revoke("b", [first])).toEqual([{ ...one, shareTo: [second] }, two]);
  expect(revoke("c", [second, first])).toEqual([one, { ...two, shareTo: [] }]);
  expect(revoke("c", [third])).toBeUndefined();
  expect(revoke("d", [first])).toBeUndefined();
  expect(revoke("b", [first], "http://b")).toBeUndefined();
});
