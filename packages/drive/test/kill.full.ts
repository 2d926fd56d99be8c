import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundleScript } from "../../../test/support/bundle-script.ts";
import { devnetForTests } from "../../../test/support/devnet-wire.ts";
import { scratch } from "../../../test/support/files.ts";
import { allPaths, createOwner } from "./attack-rig.ts";
import type { DriveJob, DriveReport } from "./drive-child.ts";

/** How many processes are killed. */
const KILLS = Number(process.env["DRIVE_KILLS"] ?? 8);
const MAX_MS = 1_500;

const devnet = devnetForTests();
let folder: string;
let script: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "keeplight-drive-kill-"));
  script = await bundleScript(folder, new URL("./drive-child.ts", import.meta.url));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs a process with a drive, kills it, and returns what it reported. */
async function killDrive(job: DriveJob, afterMs: number): Promise<DriveReport[]> {
  const child = fork(script, { stdio: ["ignore", "ignore", "inherit", "ipc"], execArgv: [] });
  const exited = once(child, "exit");
  const reports: DriveReport[] = [];
  const started = new Promise<void>((resolve) => {
    child.on("message", (message: "started" | DriveReport) => {
      if (message === "started") resolve();
      else reports.push(message);
    });
  });
  child.send(job);
  await Promise.race([started, exited]);
  const timer = setTimeout(() => child.kill("SIGKILL"), afterMs);
  await exited;
  clearTimeout(timer);
  return reports;
}

test(`${KILLS} processes that are killed while they change a drive lose nothing of it`, async () => {
  const wrong: string[] = [];
  let calls = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const owner = await createOwner(devnet());
    const [journal, sources] = [await scratch(), await scratch()];
    const { endpoints } = devnet();
    const { privateKey } = owner.own.signer;
    const job = { journal, sources, privateKey, apiKey: owner.apiKey, endpoints };
    const afterMs = Math.random() * MAX_MS;
    const reports = await killDrive(job, afterMs);
    for (const report of await owner.resumeAll(journal)) if ("error" in report) wrong.push(`${kill}: ${report.error}`);
    const { drive } = await owner.open(journal);
    await drive.sync();
    const all = allPaths(drive);
    const isBegun = (at: number, what: string) => reports.some((each) => each.at === at && each.what === what);
    for (const { at, what } of reports.filter((report) => report.isDone)) {
      calls++;
      const where = `${kill}, killed after ${Math.round(afterMs)} ms: ${what} ${at}`;
      if (what === "folder" && !all.includes(`folder ${at}`)) wrong.push(`${where} is lost`);
      if (what === "move" && !all.includes(`folder ${at}/${at}.txt`)) wrong.push(`${where} is lost`);
      const own = all.filter((path) => path === `${at}.txt` || path === `folder ${at}/${at}.txt`);
      if (what === "add" && own.length !== 1) wrong.push(`${where} is there ${own.length} times`);
      if (what === "add" && !isBegun(at, "move") && own[0] !== `${at}.txt`) wrong.push(`${where} is at ${own[0]}`);
    }
    const strange = all.filter((path) => !/^(folder \d+(\/\d+\.txt)?|\d+\.txt)$/.test(path));
    if (strange.length > 0) wrong.push(`${kill}: ${strange}`);
    const loose = await drive.listLoose();
    if (loose.length > 0)
      wrong.push(`${kill}, killed after ${Math.round(afterMs)} ms: ${loose.length} files without a name`);
    for (const file of drive.search(".txt")) {
      if (file.type !== "file") continue;
      const content = await owner.kit.decrypt(file.cid, { commitment: file.commitment }).then(String, String);
      if (content.includes("Error")) wrong.push(`${kill}: ${file.path}: ${content}`);
      if (drive.versions(file).length !== 1) wrong.push(`${kill}: ${file.path} has two versions`);
    }
    if (drive.status().unsaved) wrong.push(`${kill}: still unsaved`);
    for (const { kind } of drive.status().problems) wrong.push(`${kill}: false ${kind}`);
    await drive.close();
  }
  console.log(`${calls} calls had resolved`);
  expect(wrong).toEqual([]);
}, 7_200_000);
