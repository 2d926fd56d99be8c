import { mkdir, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openJournal } from "../../src/index.ts";
import { getEntries } from "../../src/journal/handle.ts";
import { createUploadEntry, type UploadState } from "../../src/storage/upload/journal-entry.ts";
import { createMemoryEntry, selectFiles } from "../../src/storage/upload/upload-entry.ts";
import { failure } from "../support/failure.ts";
import { scratch } from "../support/files.ts";

test("nodes that are done under one content id are not done under another", async () => {
  const journal = await openJournal({ folder: await scratch() });
  const file = { name: "a", size: 1, masterKey: "", keyShards: [], attempts: [], nodesDone: [] };
  const state = { owner: "", options: {}, files: [file] } as unknown as UploadState;
  const entry = createUploadEntry(await getEntries(journal).start("upload", state), journal);
  await entry.locate([{ Name: "a", Hash: "one" }]);
  entry.addNode(0, 1);
  entry.addNode(0, 2);
  await entry.locate([{ Name: "a", Hash: "one" }]);
  expect(entry.files()[0]?.nodesDone).toEqual([1, 2]);
  await entry.locate([{ Name: "a", Hash: "other" }]);
  expect(entry.files()[0]?.nodesDone).toEqual([]);
});

test("a node that has saved a shard counts once, and for its file alone", () => {
  const files = ["a", "b"].map((name) => ({ name, masterKey: "", keyShards: [], attempts: [], nodesDone: [] }));
  const entry = createMemoryEntry(files, { owner: "", options: {} });
  const second = selectFiles(entry, [1]);
  second.addNode(0, 2);
  second.addNode(0, 1);
  second.addNode(0, 2);
  expect(entry.files().map(({ nodesDone }) => nodesDone)).toEqual([[], [1, 2]]);
  expect(second.files()).toEqual([entry.files()[1]]);
});

test("a download that could not be discarded can be discarded again", async () => {
  const [folder, out] = [await scratch(), await scratch()];
  const journal = await openJournal({ folder });
  const state = { cid: "", path: join(out, "file"), bytesDone: 0, options: {} };
  const { id, release } = await getEntries(journal).start("download", state);
  await release();
  // Not even the system's administrator can unlink a folder.
  const partial = join(out, `.keeplight-${id}.partial`);
  await mkdir(partial);
  expect(await failure(journal.discard(id))).toMatchObject({ code: "CANNOT_WRITE" });
  expect(await journal.list()).toEqual([expect.not.objectContaining({ worker: expect.anything() })]);
  await rmdir(partial);
  await journal.discard(id);
  expect(await journal.list()).toEqual([]);
});
