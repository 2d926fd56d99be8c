import { expect, test } from "vitest";
import {
  decrypt,
  isUnfinished,
  kavachGetAccessConditions,
  type OpenedFolder,
  openJournal,
  readEncryptedFolder,
  revokeEncryptedFolder,
  shareEncryptedFolder,
} from "../../src/index.ts";
import { as } from "../kavach/saved-keys.ts";
import { account, devnetForTests } from "../support/devnet-wire.ts";
import { failure } from "../support/failure.ts";
import { scratch } from "../support/files.ts";
import { openTree, uploadTree } from "./rig.ts";

const devnet = devnetForTests();
const tree = { "a/b.txt": "one", "a-b.txt": "two", "c.txt": "three" };
const friend = () => account(devnet(), 1).address;

test("who a folder is shared to opens all of it, until that is revoked", async () => {
  const { cid, files } = await uploadTree(devnet(), tree);
  expect((await failure(readEncryptedFolder(cid, as(devnet(), 1)))).code).toBe("NODE_REFUSED");
  const seen: number[] = [];
  const shared = await shareEncryptedFolder(cid, {
    ...as(devnet(), 0),
    shareTo: friend(),
    onProgress: ({ loaded }) => seen.push(loaded),
  });
  expect(shared).toMatchObject({ cid, name: "Photos" });
  expect(seen.at(-1)).toBe(4);
  expect(await openTree(devnet(), cid, 1)).toEqual({ name: "Photos", tree });
  await revokeEncryptedFolder(cid, { ...as(devnet(), 0), revokeTo: friend() });
  for (const each of [cid, ...files.map((file) => file.cid)]) {
    expect((await failure(decrypt(each, as(devnet(), 1)))).code).toBe("NODE_REFUSED");
  }
});

test("only the owner shares a folder", async () => {
  const { cid } = await uploadTree(devnet(), tree);
  await shareEncryptedFolder(cid, { ...as(devnet(), 0), shareTo: friend() });
  const shareTo = account(devnet(), 2).address;
  expect((await failure(shareEncryptedFolder(cid, { ...as(devnet(), 1), shareTo }))).code).toBe("NOT_OWNER");
});

test("files that fail are listed, and resume() shares those alone", async () => {
  const { cid, files } = await uploadTree(devnet(), tree);
  const journal = await openJournal({ folder: await scratch() });
  const undo = devnet().faults.add({
    service: "keyNodes",
    method: "PUT",
    path: "/api/setSharedKey/4",
    after: 1,
    times: 1,
    action: { kind: "respond", status: 500, json: { error: "no" } },
  });
  const error = await failure(
    shareEncryptedFolder(cid, { ...as(devnet(), 0), shareTo: friend(), journal, attempts: 1 }),
  );
  undo();
  if (!isUnfinished<OpenedFolder>(error)) throw error;
  const unfinished = error.details["unfinished"] as { path: string; cid: string; code: string }[];
  // The manifest waits for the files, so that others can see that something is left.
  expect(unfinished.map(({ path }) => path)).toEqual([expect.stringMatching(/./), ""]);
  expect(files.map((file) => file.cid)).toContain(unfinished[0]?.cid);
  expect((await kavachGetAccessConditions(cid, { endpoints: devnet().endpoints })).sharedTo).toEqual([]);
  const before = devnet().requests().length;
  expect(await error.resume()).toMatchObject({ cid });
  // Nothing is left to do.
  expect(await error.resume()).toMatchObject({ cid });
  const puts = devnet()
    .requests()
    .slice(before)
    .filter(({ method }) => method === "PUT");
  expect(puts).toHaveLength(1 + 5);
  expect(await journal.list()).toEqual([]);
  for (const each of [cid, ...files.map((file) => file.cid)]) {
    const { sharedTo } = await kavachGetAccessConditions(each, { endpoints: devnet().endpoints });
    expect(
      sharedTo.map((address) => address.toLowerCase()),
      each,
    ).toEqual([friend().toLowerCase()]);
  }
});

test("an abort leaves each file either shared or listed", async () => {
  const { cid } = await uploadTree(devnet(), tree);
  const controller = new AbortController();
  const { signal } = controller;
  const onProgress = () => controller.abort();
  const error = await failure(shareEncryptedFolder(cid, { ...as(devnet(), 0), shareTo: friend(), signal, onProgress }));
  if (isUnfinished<OpenedFolder>(error)) await error.resume();
  expect(await openTree(devnet(), cid, 1)).toEqual({ name: "Photos", tree });
});

test.each([
  [true, "nothing"],
  [true, "an abort"],
  [false, "nothing"],
  [false, "an abort"],
])(
  "what is shared to nobody any more stays so, however often a share is resumed (with a journal: %s; after %s)",
  async (isJournaled, interruption) => {
    const { cid, files } = await uploadTree(devnet(), tree);
    const journal = isJournaled ? await openJournal({ folder: await scratch() }) : undefined;
    const options = { ...as(devnet(), 0), journal, attempts: 1 };
    const undo = devnet().faults.add({
      service: "keyNodes",
      method: "PUT",
      path: "/api/setSharedKey/4",
      after: 1,
      times: 1,
      action: { kind: "respond", status: 500, json: { error: "no" } },
    });
    const error = await failure(shareEncryptedFolder(cid, { ...options, shareTo: friend() }));
    undo();
    await revokeEncryptedFolder(cid, { ...options, revokeTo: friend() });
    if (!isUnfinished<OpenedFolder, { signal?: AbortSignal }>(error)) throw error;
    if (interruption === "an abort") await failure(error.resume({ signal: AbortSignal.abort() }));
    const code = isJournaled ? "JOURNAL_ENTRY_UNKNOWN" : "OPERATION_UNDONE";
    const over = await failure(error.resume());
    expect(over).toMatchObject({ code, details: { unfinished: [{ code }, { path: "" }] } });
    expect(isUnfinished(over)).toBe(false);
    expect((await failure(error.resume())).code).toBe(code);
    for (const each of [cid, ...files.map((file) => file.cid)]) {
      expect((await failure(decrypt(each, as(devnet(), 1)))).code).toBe("NODE_REFUSED");
    }
  },
);

test("a share that was aborted before it started does not start once it is revoked", async () => {
  const { cid, files } = await uploadTree(devnet(), tree);
  const controller = new AbortController();
  const onProgress = () => controller.abort();
  const { signal } = controller;
  const error = await failure(shareEncryptedFolder(cid, { ...as(devnet(), 0), shareTo: friend(), signal, onProgress }));
  if (!isUnfinished<OpenedFolder>(error)) throw error;
  await revokeEncryptedFolder(cid, { ...as(devnet(), 0), revokeTo: friend() });
  expect((await failure(error.resume())).code).toBe("OPERATION_UNDONE");
  for (const each of [cid, ...files.map((file) => file.cid)]) {
    expect((await failure(decrypt(each, as(devnet(), 1)))).code).toBe("NODE_REFUSED");
  }
});
