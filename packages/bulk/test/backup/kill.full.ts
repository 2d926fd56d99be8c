import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundleBesidePackages } from "../../../../test/support/bundle-script.ts";
import { account, devnetForTests } from "../../../../test/support/devnet-wire.ts";
import { pruneSnapshots, restoreBackup } from "../../src/backup/index.ts";
import { type ChildJob, startChild } from "./child.ts";
import { prepareBackup, readTree } from "./rig.ts";

// Processes are killed with -9 while they back up and restore many files.

const FILES = Number(process.env["BACKUP_FILES"] ?? 800);

const devnet = devnetForTests({ unkind: true });
let script: string;

beforeAll(async () => {
  script = await bundleBesidePackages(new URL("./in-child.ts", import.meta.url));
});
afterAll(() => rm(dirname(script), { recursive: true, force: true }));

async function prepare() {
  const files = Array.from({ length: FILES }, (_, at) => [`d${at % 20}/f${at}.txt`, `file ${at} `.padEnd(200, "x")]);
  const prepared = await prepareBackup(devnet(), Object.fromEntries(files));
  await mkdir(join(prepared.folder, "nothing"));
  const { folder, options } = prepared;
  const { privateKey } = account(devnet(), 0);
  const { state, apiKey, endpoints } = options;
  return { ...prepared, job: { folder, state, apiKey, privateKey, endpoints } };
}

/** Runs a job again and again, and kills it at each of these numbers of files; returns the snapshot of the last run. */
async function runWithKills(job: ChildJob, killAt: readonly number[]): Promise<string | undefined> {
  for (const files of killAt) {
    const child = startChild(script, job, (done) => done >= files && child.process.kill("SIGKILL"));
    await child.exited;
  }
  const child = startChild(script, job, () => undefined);
  await child.exited;
  return child.result();
}

test("a backup that is killed again and again is complete, and so is every snapshot", async () => {
  const { place, folder, options, reader, job } = await prepare();
  // Right at its start, while it sends, and before it stores the snapshot.
  const first = (await runWithKills(job, [0, 1, FILES / 2, FILES])) ?? "";
  await restoreBackup(first, join(place, "one"), reader);
  const before = await readTree(folder);
  expect(findDifferences(await readTree(join(place, "one")), before)).toEqual([]);
  for (let at = 0; at < 30; at++) await writeFile(join(folder, `d${at % 20}`, `f${at}.txt`), `changed ${at}`);
  const second = (await runWithKills(job, [0])) ?? "";
  await pruneSnapshots({ ...options, keep: 2 });
  await restoreBackup(first, join(place, "two"), reader);
  await restoreBackup(second, join(place, "three"), reader);
  expect(findDifferences(await readTree(join(place, "two")), before)).toEqual([]);
  expect(findDifferences(await readTree(join(place, "three")), await readTree(folder))).toEqual([]);
});

test("a restore that is killed again and again is complete, and leaves nothing else", async () => {
  const { place, folder, job } = await prepare();
  const cid = (await runWithKills(job, [])) ?? "";
  const to = join(place, "to");
  await runWithKills({ ...job, folder: to, cid }, [1, FILES / 4, FILES / 2]);
  expect(findDifferences(await readTree(to), await readTree(folder))).toEqual([]);
});

/** Lists the paths that differ. */
function findDifferences(got: Record<string, string>, expected: Record<string, string>): string[] {
  return [...new Set([...Object.keys(got), ...Object.keys(expected)])].filter((path) => got[path] !== expected[path]);
}
