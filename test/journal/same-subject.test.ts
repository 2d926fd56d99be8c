import { rm } from "node:fs/promises";
import { join } from "node:path";
import { getAddress } from "ethers";
import { expect, test } from "vitest";
import {
  isUnfinished,
  kavachInspect,
  kavachRevoke,
  kavachSaveShards,
  kavachShare,
  openJournal,
} from "../../src/index.ts";
import { mergeStoredOptions } from "../../src/storage/resume/journal.ts";
import { as, saveKey } from "../kavach/saved-keys.ts";
import { account, devnetForTests } from "../support/devnet-wire.ts";
import { failure } from "../support/failure.ts";
import { scratch } from "../support/files.ts";

// Different forms of an address or a URL are the same address and the same network.

const devnet = devnetForTests();
const friend = () => account(devnet(), 1).address;
const owner = () => ({ ...as(devnet(), 0), attempts: 1 });

/** How each node responds to the friend's request for a shard. */
async function statesForFriend(cid: string): Promise<string[]> {
  const { nodes } = await kavachInspect(cid, as(devnet(), 1));
  return nodes.map(({ state }) => state);
}

/** Makes a call while node 3 is down. */
async function interrupt(call: Promise<unknown>): Promise<void> {
  devnet().stopNode(3);
  const error = await failure(call);
  devnet().startNode(3);
  expect(isUnfinished(error)).toBe(true);
}

const refused = Array(5).fill("refused");

test("interrupted saving does not readmit an address that was revoked in another form", async () => {
  const { cid, keyShards } = await saveKey(devnet());
  const journal = await openJournal({ folder: await scratch() });
  const shareTo = getAddress(friend());
  await interrupt(kavachSaveShards(cid, { ...owner(), keyShards, shareTo, journal }));
  await kavachRevoke(cid, { ...owner(), revokeTo: friend().toLowerCase(), journal });
  await journal.resumeAll(owner());
  expect(await statesForFriend(cid)).toEqual(refused);
});

test("an interrupted share does not readmit an address that was revoked at another form of the network's URL", async () => {
  const { cid } = await saveKey(devnet());
  const journal = await openJournal({ folder: await scratch() });
  await interrupt(kavachShare(cid, { ...owner(), shareTo: friend(), journal }));
  const { endpoints } = devnet();
  const other = { ...endpoints, keyNodes: `${endpoints.keyNodes.replace("http:", "HTTP:")}/` };
  await kavachRevoke(cid, { ...owner(), endpoints: other, revokeTo: friend(), journal });
  expect(await journal.resumeAll(owner())).toEqual([]);
  expect(await statesForFriend(cid)).toEqual(refused);
});

test("a call that is resumed without endpoints, or with some, stays on its network", async () => {
  const { cid } = await saveKey(devnet());
  const journal = await openJournal({ folder: await scratch() });
  await interrupt(kavachShare(cid, { ...owner(), shareTo: friend(), journal }));
  const { endpoints: _, ...options } = owner();
  const { gateway } = devnet().endpoints;
  const [report] = await journal.resumeAll({ ...options, endpoints: { gateway }, acceptMessage: undefined });
  expect(report).toMatchObject({ kind: "share", result: { nodes: [1, 2, 3, 4, 5] } });
});

test("options that are left out leave those of the operation", () => {
  const kept = { endpoints: { api: "a", keyNodes: "k" }, threshold: 3 };
  expect(mergeStoredOptions(kept, { endpoints: undefined })).toEqual(kept);
  expect(mergeStoredOptions(kept, { endpoints: { api: "b" } })).toEqual({
    ...kept,
    endpoints: { api: "b", keyNodes: "k" },
  });
});

test("endpoints to resume with that are no object are refused", async () => {
  const journal = await openJournal({ folder: await scratch() });
  const resumed = journal.resume("0".repeat(32), { endpoints: "http://a" as never });
  expect(await failure(resumed)).toMatchObject({ code: "INVALID_OPTION", details: { option: "endpoints" } });
});

test("saving that the first node denies stays in the journal with its shards", async () => {
  const { cid, keyShards } = await saveKey(devnet());
  const folder = await scratch();
  const stranger = { ...as(devnet(), 2), attempts: 1 };
  const journal = await openJournal({ folder });
  await failure(kavachSaveShards(cid, { ...stranger, keyShards, journal }));
  expect(await journal.list()).toMatchObject([{ kind: "save", cids: [cid] }]);
});

test("a journal with entries and without its description is damaged, and gets no new key", async () => {
  const { cid } = await saveKey(devnet());
  const folder = await scratch();
  await interrupt(kavachShare(cid, { ...owner(), shareTo: friend(), journal: await openJournal({ folder }) }));
  for (const name of ["journal.json", "journal.json.copy"]) await rm(join(folder, name));
  expect(await failure(openJournal({ folder }))).toMatchObject({ code: "JOURNAL_DAMAGED" });
});
