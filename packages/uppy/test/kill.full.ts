import { setTimeout as sleep } from "node:timers/promises";
import { decrypt } from "keeplight";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createRandom, type Random } from "../../../test/simulation/random.ts";
import { bytesOf, type PageFile } from "./page-code.ts";
import { openPageRig, type PageRig } from "./page-rig.ts";

/** How many times the browser is killed, and what the moments follow from. */
const KILLS = Number(process.env["KILLS"] ?? 8);
const SEED = process.env["SEED"] ?? "1";
/** So that there is time to be killed. */
const LATENCY_MS = 25;
const MAX_BYTES = 1_500_000;

let rig: PageRig;

beforeAll(async () => {
  rig = await openPageRig();
  rig.server.setLatency(LATENCY_MS);
  for (const service of ["api", "upload", "keyNodes"] as const) {
    rig.server.devnet.faults.add({ service, action: { kind: "delay", ms: LATENCY_MS } });
  }
}, 600_000);

afterAll(() => rig?.close());

/** Waits for a moment in the middle of an upload: some requests later, or some time. */
async function untilMoment(random: Random): Promise<void> {
  if (random.chance(0.3)) return sleep(random.next() * 2_500);
  const count = rig.server.listRequests().length + 1 + random.below(30);
  const latest = performance.now() + 10_000;
  while (rig.server.listRequests().length < count && performance.now() < latest) await sleep(2);
  await sleep(random.next() * 2 * LATENCY_MS);
}

test(`files are uploaded once, whole, with their keys, whenever their page is killed (${KILLS} kills, seed ${SEED})`, async () => {
  const random = createRandom(SEED);
  let pending: PageFile[] = [];
  const stored = new Map<string, { cid: string; file: PageFile }>();
  /** Versions that a page has had, by the name of the file. */
  const versions = new Map<string, PageFile[]>();
  let [made, killed, changed] = [0, 0, 0];

  function takeEvents(): void {
    for (const { name, version, cid, error } of rig.takeEvents()) {
      expect(error, `${name} of seed ${SEED}`).toBeUndefined();
      const file = pending.find((each) => each.name === name);
      if (file && cid) stored.set(name, { cid, file: { ...file, version } });
      pending = pending.filter((each) => each.name !== name);
    }
  }

  while (killed < KILLS || pending.length > 0) {
    while (killed < KILLS && pending.length < 3) {
      const file = { name: `letter ${SEED} ${made++}.bin`, size: 1 + random.below(MAX_BYTES), version: 0 };
      pending.push(file);
      versions.set(file.name, [file]);
    }
    const uploading = rig.upload(pending).catch(() => undefined);
    if (killed < KILLS) {
      await Promise.race([uploading, untilMoment(random)]);
      killed++;
      await rig.killAndStart();
    }
    await uploading;
    takeEvents();
    // Somebody changes a file, which looks as before.
    pending = pending.map((file) => {
      if (killed === KILLS || !random.chance(0.15)) return file;
      changed++;
      const next = { ...file, version: file.version + 1 };
      versions.get(file.name)?.push(next);
      return next;
    });
  }

  for (const [name, { cid, file }] of stored) {
    const about = `${name} of seed ${SEED}`;
    const bytes = await decrypt(cid, { signer: rig.signer, endpoints: rig.setup.endpoints, pauseMs: 0 });
    // What was sent whole before it changed is stored as it was.
    const isOne = [file, ...(versions.get(name) ?? [])].some((version) => Buffer.from(bytesOf(version)).equals(bytes));
    expect(isOne, `the bytes of ${about}`).toBe(true);
    expect(await rig.server.listStored(name), about).toEqual([cid]);
    expect(rig.server.countShards(cid), about).toBe(5);
  }
  expect(stored.size).toBe(made);
  const saved = rig.server.devnet.requests().filter(({ path, status }) => /setSharedKey/.test(path) && status === 200);
  expect(rig.server.listReused()).toEqual([]);
  const requests = rig.server.listRequests();
  const count = (method: string) => requests.filter((request) => request.method === method).length;
  console.log(
    `${killed} kills (seed ${SEED}): ${made} files, ${changed} changed meanwhile, ${count("POST")} uploads, ` +
      `${count("PATCH")} chunks, ${count("DELETE")} removed, ${saved.length} shards saved; none is lost, none is there twice`,
  );
}, 7_200_000);
