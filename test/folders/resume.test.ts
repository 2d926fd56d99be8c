import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Fault } from "../../packages/devnet/src/index.ts";
import {
  type EncryptedFolder,
  isUnfinished,
  iterateFiles,
  openJournal,
  parseFolderName,
  type UploadedFiles,
  uploadEncryptedFolder,
} from "../../src/index.ts";
import { devnetForTests } from "../support/devnet-wire.ts";
import { failure } from "../support/failure.ts";
import { scratch } from "../support/files.ts";
import { createServer } from "../support/http-server.ts";
import { openTree, optionsOf, toFiles } from "./rig.ts";

const devnet = devnetForTests();
const tree = { "a/b.txt": "one", "a-b.txt": "two", "c.txt": "three" };
const refuse = { kind: "respond", status: 500, json: { error: "no" } } as const;
const upload = { service: "upload", method: "POST" } as const;
const save = { service: "keyNodes", method: "POST", path: "/api/setSharedKey/3" } as const;

/** Where a folder of three files may fail once files are stored, and whether its files' own content ids are known then. */
const failures: [string, Fault][] = [
  ["while the keys of files are saved", { ...save, times: 1, action: refuse }],
  ["while the manifest is sent", { ...upload, after: 1, times: 1, action: refuse }],
  ["when the response to the manifest is lost", { ...upload, after: 1, times: 1, action: { kind: "cut", atByte: 0 } }],
  ["while the key of the manifest is saved", { ...save, after: 3, times: 1, action: refuse }],
];

test.each(failures)("resume() of the error completes a folder that failed %s", async (_, fault) => {
  const undo = devnet().faults.add(fault);
  const error = await failure(uploadEncryptedFolder(toFiles(tree), await optionsOf(devnet())));
  undo();
  if (!isUnfinished<EncryptedFolder>(error)) throw error;
  expect(JSON.stringify(error)).not.toMatch(/[0-9a-f]{64}/);
  const folder = await error.resume();
  expect(await openTree(devnet(), folder.cid)).toEqual({ name: "Photos", tree });
});

test("options that are changed after the call of resume() have no effect", async () => {
  const undo = devnet().faults.add({ ...save, times: 1, action: refuse });
  const journal = await openJournal({ folder: await scratch() });
  const error = await failure(uploadEncryptedFolder(toFiles(tree), { ...(await optionsOf(devnet())), journal }));
  undo();
  if (!isUnfinished<EncryptedFolder, { attempts: number }>(error)) throw error;
  const changed = { attempts: 2 };
  const resumed = error.resume(changed);
  changed.attempts = 0;
  expect(await openTree(devnet(), (await resumed).cid)).toEqual({ name: "Photos", tree });
});

const journaled: typeof failures = [
  ...failures,
  ["when the response to the files is lost", { ...upload, times: 1, action: { kind: "cut", atByte: 0 } }],
];

test.each(journaled)("another process completes a folder that failed %s, with a journal", async (_, fault) => {
  const folder = await scratch();
  const undo = devnet().faults.add(fault);
  const journal = await openJournal({ folder });
  await failure(uploadEncryptedFolder(toFiles(tree), { ...(await optionsOf(devnet())), journal }));
  undo();
  const again = await openJournal({ folder });
  const [operation] = await again.list();
  expect(operation).toMatchObject({ kind: "upload", folder: "Photos" });
  expect(operation?.names).toHaveLength(4);
  const resumed = await again.resume(operation?.id ?? "", await optionsOf(devnet()));
  if (resumed.kind !== "upload") throw new Error("no upload was resumed");
  const [manifest, ...files] = resumed.result;
  expect(files).toHaveLength(3);
  expect(await openTree(devnet(), manifest.Hash)).toEqual({ name: "Photos", tree });
  expect(await again.list()).toEqual([]);
  expect(await countManifests(parseFolderName(manifest.Name)?.id)).toBe(1);
});

test.each([
  ["of a file", { ...save, times: 1, action: refuse } as Fault],
  ["of the manifest", { ...save, after: 3, times: 1, action: refuse } as Fault],
])("resume() of the error of resuming completes the folder, if the key %s is not saved", async (_, fault) => {
  const journal = await openJournal({ folder: await scratch() });
  const options = await optionsOf(devnet());
  const undoUpload = devnet().faults.add({ ...upload, times: 1, action: { kind: "cut", atByte: 0 } });
  await failure(uploadEncryptedFolder(toFiles(tree), { ...options, journal }));
  undoUpload();
  const [operation] = await journal.list();
  const undo = devnet().faults.add(fault);
  const error = await failure(journal.resume(operation?.id ?? "", { ...options, source: toFiles(tree) }));
  undo();
  if (!isUnfinished<UploadedFiles>(error)) throw error;
  expect(error.operationId).toBe(operation?.id);
  const [manifest, ...files] = await error.resume();
  expect(files).toHaveLength(3);
  expect(await openTree(devnet(), manifest.Hash)).toEqual({ name: "Photos", tree });
  expect(await journal.list()).toEqual([]);
});

/** How many manifests of a folder are stored. */
async function countManifests(id: string | undefined): Promise<number> {
  const { apiKey, endpoints } = await optionsOf(devnet());
  let count = 0;
  for await (const { fileName } of iterateFiles({ apiKey, endpoints })) {
    const name = parseFolderName(fileName ?? "");
    if (name?.isManifest && name.id === id) count++;
  }
  return count;
}

test("files that are not stored are sent again: from the disk, or from the source that is passed again", async () => {
  const path = join(await scratch(), "Photos");
  await mkdir(join(path, "a"), { recursive: true });
  for (const [name, text] of Object.entries(tree)) await writeFile(join(path, name), text);
  for (const source of [path, toFiles(tree)]) {
    const folder = await scratch();
    // Receives everything and stores nothing.
    const gateway = await createServer((_, response) => response.writeHead(502).end());
    const journal = await openJournal({ folder });
    const given = await optionsOf(devnet());
    const endpoints = { ...given.endpoints, upload: gateway.url };
    const error = await failure(uploadEncryptedFolder(source, { ...given, endpoints, journal }));
    expect(isUnfinished(error)).toBe(true);
    const again = await openJournal({ folder });
    const id = (await again.list())[0]?.id ?? "";
    if (typeof source !== "string") {
      expect((await failure(again.resume(id, given))).code).toBe("INVALID_SOURCE");
      const changed = toFiles({ ...tree, "c.txt": "another text" });
      expect((await failure(again.resume(id, { ...given, source: changed }))).code).toBe("SOURCE_CHANGED");
      expect((await failure(again.resume(id, { ...given, source: changed.slice(1) }))).code).toBe("INVALID_SOURCE");
    }
    const passed = typeof source === "string" ? {} : { source };
    const resumed = await again.resume(id, { ...given, ...passed });
    if (resumed.kind !== "upload") throw new Error("no upload was resumed");
    expect(await openTree(devnet(), resumed.result[0].Hash)).toEqual({ name: "Photos", tree });
  }
});

test("an abort before anything is stored leaves nothing open", async () => {
  const journal = await openJournal({ folder: await scratch() });
  const controller = new AbortController();
  controller.abort();
  const options = { ...(await optionsOf(devnet())), journal, signal: controller.signal };
  expect((await failure(uploadEncryptedFolder(toFiles(tree), options))).code).toBe("ABORTED");
  expect(await journal.list()).toEqual([]);
});
