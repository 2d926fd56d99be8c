import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openContentStore } from "../src/content/store.ts";
import { makeOwnedFolder, removeAbandoned } from "../src/owned-folder.ts";

let parent = "";
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), "owned-folder-"));
});
afterEach(() => rm(parent, { recursive: true }));

const endedPid = () => spawnSync(process.execPath, ["--version"]).pid;

/** Creates a folder with content that appears to belong to another process. */
async function handOver(folder: string, pid: number): Promise<string> {
  const name = basename(folder).replace(String(process.pid), String(pid));
  await writeFile(join(folder, "content"), "x");
  await rename(folder, join(folder, "..", name));
  return name;
}

test("folders of processes that have ended are removed, and no others", async () => {
  const own = basename(await makeOwnedFolder(parent, "data-"));
  const running = await handOver(await makeOwnedFolder(parent, "data-"), process.ppid);
  await handOver(await makeOwnedFolder(parent, "data-"), endedPid());
  const otherPrefix = await handOver(await makeOwnedFolder(parent, "other-"), endedPid());
  const names = [`data-${endedPid()}`, `data-${endedPid()}-00000000-AAAAAA`, "data-notes", "data-1-2-3"];
  for (const name of names) await mkdir(join(parent, name));
  await removeAbandoned(parent, "data-");
  expect((await readdir(parent)).sort()).toEqual([own, running, otherPrefix, ...names].sort());
});

test("a store removes the spools of a killed process's uploads", async () => {
  const store = await openContentStore(parent);
  const killed = await store.openSpool();
  await handOver(killed.dir, endedPid());
  const running = await store.openSpool();
  await openContentStore(parent);
  expect(await readdir(join(parent, "spool"))).toEqual([basename(running.dir)]);
});
