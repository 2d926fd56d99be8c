import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Wallet } from "ethers";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Fault } from "../../packages/devnet/src/index.ts";
import {
  createApiKey,
  decrypt,
  iterateFiles,
  kavachInspect,
  openJournal,
  parseFolderName,
  readEncryptedFolder,
} from "../../src/index.ts";
import { BUSY_TIMEOUT_MS, bundleChild, type ChildJob, forkChild } from "../journal/child.ts";
import { devnetForTests } from "../support/devnet-wire.ts";
import { eventually } from "../support/eventually.ts";
import type { Tree } from "./rig.ts";

const devnet = devnetForTests();
const tree: Tree = { "a/b.txt": "one", "a-b.txt": "two", "empty.bin": "" };

let folder: string;
let script: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "keeplight-killed-folders-"));
  script = await bundleChild(folder);
  for (const [path, text] of Object.entries(tree)) {
    const file = join(folder, "Photos", path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Uploads the folder in a child process, and kills that as soon as the fault takes effect; `false` if it never does. */
async function runUntilFault(job: ChildJob, fault: Fault): Promise<boolean> {
  const { service, after = 0 } = fault;
  const before = devnet().requests().length;
  const countRequests = () =>
    devnet()
      .requests()
      .slice(before)
      .filter((request) => request.service === service).length;
  const undo = devnet().faults.add(fault);
  const child = forkChild(script);
  const exited = once(child, "exit");
  child.send(job);
  try {
    return await eventually(() => {
      const isHit = countRequests() > after;
      if (!isHit && child.exitCode === null) throw new Error("The child process still works");
      return isHit;
    });
  } finally {
    child.kill("SIGKILL");
    await exited;
    undo();
  }
}

/** Kills an upload at one of its requests; resumes it and checks what there is. Returns whether it was killed. */
async function killAt(service: "upload" | "keyNodes", after: number): Promise<boolean> {
  const { endpoints } = devnet();
  const signer = Wallet.createRandom();
  const apiKey = await createApiKey({ signer, endpoints });
  const owner = { signer, endpoints, pauseMs: 0, retryMs: 0, timeoutMs: BUSY_TIMEOUT_MS };
  const place = join(folder, `journal-${service}-${after}`);
  const work = { kind: "folder", source: join(folder, "Photos") } as const;
  const job = { journal: place, work, apiKey, privateKey: signer.privateKey, endpoints, pace: { pauseMs: 0 } };
  const isKilled = await runUntilFault(job, { service, after, times: 1, action: { kind: "hang" } });

  const listRows = async () => {
    const rows: { cid: string; isManifest: boolean }[] = [];
    for await (const { cid, fileName } of iterateFiles({ apiKey, endpoints })) {
      rows.push({ cid, isManifest: parseFolderName(fileName ?? "")?.isManifest ?? false });
    }
    return rows;
  };
  const rows = await listRows();
  if (rows.some(({ isManifest }) => isManifest)) {
    for (const { cid, isManifest } of rows) {
      if (!isManifest) expect((await kavachInspect(cid, owner)).healthy, `${cid} before the manifest`).toBe(true);
    }
  }
  const journal = await openJournal({ folder: place });
  const reports = await journal.resumeAll({ ...owner, apiKey });
  expect(reports.filter((report) => "error" in report)).toEqual([]);
  expect(await journal.list()).toEqual([]);
  const left = await listRows();
  const manifests = left.filter(({ isManifest }) => isManifest);
  if (reports.length === 0 && isKilled) {
    expect(left).toEqual([]);
    return isKilled;
  }
  expect(manifests).toHaveLength(1);
  const opened = await readEncryptedFolder(manifests[0]?.cid ?? "", owner);
  const texts: [string, string][] = [];
  for (const { path, cid, commitment } of opened.files) {
    texts.push([path, new TextDecoder().decode(await decrypt(cid, { ...owner, commitment }))]);
  }
  expect({ name: opened.name, tree: Object.fromEntries(texts) }).toEqual({ name: "Photos", tree });
  for (const cid of [opened.cid, ...opened.files.map((file) => file.cid)]) {
    expect((await kavachInspect(cid, owner)).healthy, cid).toBe(true);
  }
  return isKilled;
}

test.each(["upload", "keyNodes"] as const)(
  "a folder whose upload is killed at any request of the service %s is completed by another process",
  async (service) => {
    let after = 0;
    while (await killAt(service, after)) after++;
    expect(after).toBeGreaterThanOrEqual(service === "upload" ? 2 : 20);
  },
  1_800_000,
);
