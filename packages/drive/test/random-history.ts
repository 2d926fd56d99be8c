import { mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { scratch } from "../../../test/support/files.ts";
import type { Devnet } from "../../devnet/src/index.ts";
import type { Drive, DriveEntry, DriveFile } from "../src/index.ts";
import { createOwner } from "./attack-rig.ts";
import { createRandom, type Random, randomCid } from "./random-states.ts";

// What two devices do to one drive at once, at random, and what has to be there afterwards.

const NAMES = ["a", "b", "été", "a.txt", "b.txt", "a (2).txt"];

/** What the calls that resolved have made, and what calls that removed may have deleted. */
export interface Model {
  /** Content ids by entry; none for a folder. */
  made: Map<string, Set<string>>;
  /** Entries and versions that a removal was to delete. */
  maybeGone: Set<string>;
  /** Versions that a removal has deleted. */
  gone: Set<string>;
  /** Folder of the files that are added. */
  sources: string;
}

interface Device {
  name: string;
  folder: string;
  drive: Drive;
  kill: () => Promise<void>;
}

/** How a history went. */
export interface Outcome {
  /** What is not as promised. */
  wrong: string[];
  counts: Record<string, number>;
}

const isFile = (entry: DriveEntry): entry is DriveFile => entry.type === "file";

/** Lists an entry of the trash and, as far as can be seen, what is in it. */
function listAll(drive: Drive): DriveEntry[] {
  return [...drive.search(""), ...drive.listTrash()];
}

export async function runHistory(devnet: Devnet, seed: number): Promise<Outcome> {
  const random = createRandom(seed);
  const owner = await createOwner(devnet);
  const model: Model = { made: new Map(), maybeGone: new Set(), gone: new Set(), sources: await scratch() };
  const wrong: string[] = [];
  const counts: Record<string, number> = {};
  const count = (what: string) => {
    counts[what] = (counts[what] ?? 0) + 1;
  };

  async function open(name: string, folder: string): Promise<Device> {
    let drive: Drive | undefined;
    const opened = await owner.open(folder, {}, (kind) => {
      if (kind === "drive") check(drive, name);
    });
    drive = opened.drive;
    check(drive, name);
    return { name, folder, ...opened };
  }

  /** Whether services fail now and then. */
  let isFaulty = false;

  function check(drive: Drive | undefined, name: string): void {
    for (const { kind, cid } of drive?.status().problems ?? []) {
      // A gateway that fails does not serve them.
      if (kind === "missing" && isFaulty) continue;
      const problem = `${name}: false ${kind} of ${cid}`;
      if (!wrong.includes(problem)) wrong.push(problem);
    }
  }

  async function reopen(device: Device): Promise<void> {
    for (;;) {
      try {
        Object.assign(device, await open(device.name, device.folder));
        return;
      } catch {
        // A service failed on purpose.
        count("failed to open");
      }
    }
  }

  /** Does one thing with a device. What fails may have been done, or not. */
  async function step(device: Device, own: Random): Promise<void> {
    const { drive } = device;
    const kind = own.integer(20);
    if (kind === 0) {
      count("closed");
      await drive.close().catch(() => count("failed to close"));
      return reopen(device);
    }
    if (kind === 1) {
      count("killed");
      const working = [change(drive, own, count, model), ...(own.chance(0.5) ? [drive.sync()] : [])];
      const settled = Promise.allSettled(working);
      await new Promise((resolve) => setTimeout(resolve, own.integer(60)));
      await device.kill();
      await reopen(device);
      await settled;
      await owner.resumeAll(device.folder);
      return;
    }
    if (kind < 6) {
      count("synced");
      const changed = own.chance(0.5) ? change(drive, own, count, model) : undefined;
      await drive.sync().catch(() => count("failed to sync"));
      await changed;
      check(drive, device.name);
      return;
    }
    if (kind < 8) {
      await Promise.all([change(drive, own, count, model), change(drive, own, count, model)]);
      return;
    }
    await change(drive, own, count, model);
  }

  const folders = [await scratch(), await scratch()];
  const devices = random.chance(0.5)
    ? await Promise.all(folders.map((folder, at) => open(`device ${at}`, folder)))
    : [await open("device 0", String(folders[0])), await open("device 1", String(folders[1]))];
  isFaulty = random.chance(0.3);
  for (let round = 0; round < 3; round++) {
    if (isFaulty) {
      devnet.faults.add({
        service: random.pick(["api", "upload", "gateway", "keyNodes"]),
        after: random.integer(10),
        times: 1 + random.integer(6),
        action: random.pick([{ kind: "respond", status: 500 }, { kind: "reset" }]),
      });
    }
    const seeds = devices.map(() => random.integer(2 ** 31));
    await Promise.all(
      devices.map(async (device, at) => {
        const own = createRandom(seeds[at] ?? 0);
        for (let steps = 2 + own.integer(8); steps > 0; steps--) await step(device, own);
      }),
    );
  }
  devnet.faults.clear();
  isFaulty = false;
  const [one, two] = devices as [Device, Device];
  for (const device of [one, two]) {
    const reports = await owner.resumeAll(device.folder);
    for (const report of reports) if ("error" in report) wrong.push(`not resumed: ${report.error}`);
  }
  for (const { drive } of [one, two, one]) await drive.sync();
  await emptyTrash(one.drive);
  for (const { drive } of [one, two, one, two]) await drive.sync();
  for (const { drive, name } of [one, two]) {
    check(drive, name);
    wrong.push(...findWrong(drive, model).map((problem) => `${name}: ${problem}`));
    if (drive.status().unsaved) wrong.push(`${name}: still unsaved`);
    if (drive.status().error !== undefined) wrong.push(`${name}: ${drive.status().error}`);
  }
  const [shown, other] = [one, two].map(({ drive }) => JSON.stringify(describe(drive)));
  if (shown !== other) wrong.push(`not equal: ${showDifference(describe(one.drive), describe(two.drive))}`);
  await one.drive.close();
  await two.drive.close();
  const third = await open("device 2", await scratch());
  if (JSON.stringify(describe(third.drive)) !== shown) wrong.push("a new device has another drive");
  await third.drive.close();
  return { wrong, counts };
}

const describe = (drive: Drive): string[] =>
  drive.search("").map((entry) => {
    const versions = isFile(entry) ? drive.versions(entry) : [];
    const sorted = versions.map((version) => Object.entries(version).sort(([a], [b]) => (a < b ? -1 : 1)));
    return JSON.stringify([entry.path, entry.id, sorted]);
  });

/** Shows what is in one list only. */
function showDifference(one: readonly string[], other: readonly string[]): string {
  const only = (some: readonly string[], rest: readonly string[]) => some.filter((each) => !rest.includes(each));
  return JSON.stringify([only(one, other), only(other, one)]);
}

/** Takes everything out of the trash, so that all of it can be listed. */
async function emptyTrash(drive: Drive): Promise<void> {
  for (let [entry] = drive.listTrash(); entry; [entry] = drive.listTrash()) await drive.restore(entry);
}

function findWrong(drive: Drive, { made, maybeGone, gone }: Model): string[] {
  const wrong: string[] = [];
  const shown = drive.search("");
  const byId = new Map(shown.map((entry) => [entry.id, entry]));
  for (const [id, cids] of made) {
    const entry = byId.get(id);
    if (!entry && !maybeGone.has(id)) wrong.push(`entry ${id} is lost`);
    const versions = new Set(entry && isFile(entry) ? drive.versions(entry).map(({ cid }) => cid) : []);
    for (const cid of cids)
      if (!versions.has(cid) && !maybeGone.has(cid)) wrong.push(`version ${cid} of ${id} is lost`);
    for (const cid of cids) if (versions.has(cid) && gone.has(cid)) wrong.push(`version ${cid} of ${id} is back`);
  }
  const cids = shown.filter(isFile).flatMap((entry) => drive.versions(entry).map(({ cid }) => cid));
  if (new Set(cids).size < cids.length) wrong.push("a file is there twice");
  if (new Set(shown.map(({ path }) => path)).size < shown.length) wrong.push("two entries have one path");
  return wrong;
}

/** Makes a random change. A call that throws may have made it, or not. */
async function change(drive: Drive, random: Random, count: (what: string) => void, model: Model): Promise<void> {
  const all = listAll(drive);
  const shown = all.filter(({ trashed }) => !trashed);
  const folders = ["", ...shown.filter(({ type }) => type === "folder")];
  const kind = random.pick(["folder", "adopt", "adopt", "add", "move", "move", "rename", "trash", "restore", "remove"]);
  const name = random.pick(NAMES);
  const folder = random.pick(folders);
  const note = (entries: readonly DriveEntry[]) => {
    for (const entry of entries) {
      const cids = model.made.get(entry.id) ?? new Set();
      model.made.set(entry.id, isFile(entry) ? cids.add(entry.cid) : cids);
    }
  };
  try {
    if (kind === "folder") {
      const above = typeof folder === "string" ? "" : `${folder.path}/`;
      note([await drive.createFolder(`${above}${name}`)]);
    } else if (kind === "adopt") note(await drive.adopt([{ cid: randomCid(random), name, folder, size: 5 }]));
    else if (kind === "add") {
      const file = join(await mkdtemp(join(model.sources, "add-")), name);
      await writeFile(file, `content ${random.integer(2 ** 31)}`);
      note(await drive.add(file, { folder }));
    } else if (kind === "move" && shown.length > 0) await drive.move(random.pick(shown), folder);
    else if (kind === "rename" && shown.length > 0) await drive.rename(random.pick(shown), name);
    else if (kind === "trash" && shown.length > 0) await drive.trash(random.pick(shown));
    else if (kind === "restore" && random.chance(0.5)) {
      const files = shown.filter(isFile).filter((file) => drive.versions(file).length > 1);
      if (files.length > 0) {
        const file = random.pick(files);
        await drive.restore(file, { version: random.pick(drive.versions(file)).cid });
      }
    } else if (kind === "restore" && drive.listTrash().length > 0) await drive.restore(random.pick(drive.listTrash()));
    else if (kind === "remove" && drive.listTrash().length > 0) await remove(drive, random, model);
    count(kind);
  } catch {
    count(`failed: ${kind}`);
  }
}

/** Removes an entry of the trash that has nothing in it: what else it would delete cannot be listed. */
async function remove(drive: Drive, random: Random, model: Model): Promise<void> {
  const files = drive.listTrash().filter(isFile);
  if (files.length === 0) return;
  const file = random.pick(files);
  const cids = drive.versions(file).map(({ cid }) => cid);
  for (const id of [file.id, ...cids]) model.maybeGone.add(id);
  await drive.remove(file);
  for (const cid of cids) model.gone.add(cid);
}
