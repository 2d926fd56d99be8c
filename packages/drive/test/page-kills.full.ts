import { setTimeout as sleep } from "node:timers/promises";
import { Wallet } from "ethers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createRandom } from "../../../test/simulation/random.ts";
import { devnetForTests } from "../../../test/support/devnet-wire.ts";
import { createModel } from "./kill-model.ts";
import { textOf } from "./page-code.ts";
import { createOwner, openPageRig, type PageRig } from "./page-rig.ts";

/** How many times the browser is killed, and what the moments follow from. */
const KILLS = Number(process.env["DRIVE_PAGE_KILLS"] ?? 4);
const SEED = process.env["DRIVE_PAGE_SEED"] ?? "1";
const LONGEST_MS = 2_500;
const FOLDERS = ["Letters", "Photos", "Photos/2026", "Plans"];
/** So that there is time to be killed while a service is asked. */
const LATENCY_MS = 15;

const devnet = devnetForTests();
let rig: PageRig;

beforeAll(async () => {
  rig = await openPageRig();
  for (const service of ["api", "upload", "gateway", "keyNodes"] as const)
    devnet().faults.add({ service, action: { kind: "delay", ms: LATENCY_MS } });
}, 600_000);

afterAll(() => rig?.close());

/** Kills the browser, and opens its page again. */
async function killAndStart(calling: Promise<unknown>): Promise<void> {
  // What the page was doing ends with it.
  const ended = calling.catch(() => undefined);
  await rig.stop("kill");
  await ended;
  await rig.start();
}

test(`a drive loses nothing and has nothing twice, whenever its page is killed (${KILLS} kills, seed ${SEED})`, async () => {
  const random = createRandom(SEED);
  const owner = await createOwner(devnet().endpoints, "drive");
  const bob = Wallet.createRandom();
  await rig.run("prepare", owner.inPage, FOLDERS);
  const other = await owner.open();
  const model = createModel();
  let [continued, calls] = [0, 0];
  const read = new Set<string>();

  for (let round = 1; round <= KILLS; round++) {
    const about = `round ${round} of seed ${SEED}`;
    const job = { seed: `${SEED} ${round}`, folders: FOLDERS, paths: model.paths(), shareTo: bob.address };
    const working = rig.run("work", owner.inPage, job);
    const failing = working.then(() => undefined);
    await Promise.race([failing, sleep(random.next() * LONGEST_MS)]);
    await killAndStart(working);
    const events = rig.takeEvents();
    for (const event of events) model.record(event);
    calls += events.filter(({ phase }) => phase === "done").length;

    // Also while what was interrupted is resumed.
    if (random.chance(0.3)) {
      const resuming = rig.run("resume", owner.inPage, model.pending(), random.chance(0.3));
      await Promise.race([resuming.catch(() => undefined), sleep(random.next() * 600)]);
      await killAndStart(resuming);
    }
    const found = await rig.run("resume", owner.inPage, model.pending(), random.chance(0.3));
    expect(found.failed, about).toEqual([]);
    expect(model.findProblems(found.opened), `${about}, when it was opened`).toEqual([]);
    expect(model.findProblems(found.resumed), `${about}, once all was resumed`).toEqual([]);
    expect({ loose: found.loose, left: found.left, problems: found.problems }, about).toEqual({
      loose: [],
      left: [],
      problems: [],
    });
    continued += model.settle(found.resumed);

    await other.sync();
    const files = other.search("").flatMap((entry) => (entry.type === "file" ? entry : []));
    expect(files.map(({ path }) => path).sort(), `${about}, on another device`).toEqual(found.resumed);
    const reading = [...model.files()].flatMap(([name, { paths, isShared }]) => {
      const file = files.find(({ path }) => path === paths[0]);
      if (!file) throw new Error(`${about}: ${name} is missing`);
      return [owner.signer, ...(isShared ? [bob] : [])].map(async (signer) => {
        const key = `${name} ${signer.address}`;
        if (read.has(key)) return;
        read.add(key);
        const { cid, commitment, chunkProfile } = file;
        const bytes = await owner.kit.decrypt(cid, { signer, commitment, chunkProfile });
        expect(new TextDecoder().decode(bytes) === textOf(name), `${about}: the text of ${name}`).toBe(true);
      });
    });
    await Promise.all(reading);
  }
  await other.close();
  expect((await owner.open()).search("").length).toBe(model.files().size + FOLDERS.length);
  console.log(
    `${KILLS} kills (seed ${SEED}): ${calls} calls were done, ${continued} files were completed afterwards, ` +
      `${model.files().size} files in all; none was lost, none is there twice`,
  );
}, 7_200_000);

test("a page that is killed while it creates a drive has one drive when it is opened again", async () => {
  const random = createRandom(`creation ${SEED}`);
  for (let round = 1; round <= Math.ceil(KILLS / 4); round++) {
    const about = `round ${round} of seed ${SEED}`;
    const owner = await createOwner(devnet().endpoints, `creation ${round}`);
    const preparing = rig.run("prepare", owner.inPage, FOLDERS);
    await Promise.race([preparing.catch(() => undefined), sleep(random.next() * 900)]);
    await killAndStart(preparing);
    const found = await rig.run("resume", owner.inPage, [], random.chance(0.3));
    expect(found, about).toMatchObject({ failed: [], loose: [], left: [], problems: [] });
    await rig.run("prepare", owner.inPage, [`Last ${round}`]);
    const inPage = (await rig.run("resume", owner.inPage, [], false)).folders;
    const drive = await owner.open();
    expect(
      drive.search("").map(({ path }) => path),
      `${about}, on another device`,
    ).toEqual(inPage);
    expect(inPage, about).toContain(`Last ${round}`);
    await drive.close();
  }
}, 7_200_000);
