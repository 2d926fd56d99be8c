import { randomBytes } from "node:crypto";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { cpuUsage } from "node:process";
import { Wallet } from "ethers";
import { type Core, openCore } from "../packages/drive/src/core.ts";
import { type Drive, openDrive } from "../packages/drive/src/index.ts";
import { createLocal } from "../packages/drive/src/local.ts";
import { createRemote, type DriveKit } from "../packages/drive/src/remote.ts";
import { createClock, createEntryId, type EntryState, type FileVersion, TOP } from "../packages/drive/src/state.ts";
import { encodeCid, formatCid } from "../src/formats/cid/content-id.ts";
import { createApiKey, createKit, type Endpoints, iterateFiles, openJournal } from "../src/index.ts";

// Opens and changes a drive, and sends the processor time that each takes; in a process of its own, and bundled, as the
// compiler of TypeScript that runs the others makes functions slower.

/** What is to be measured. */
export interface DriveJob {
  endpoints: Endpoints;
  /** For journals. */
  folder: string;
  entries: number;
  rounds: number;
}

/** What was measured. */
export interface DriveFigures {
  /** Milliseconds of the processor of each round, by what was done. */
  times: Record<string, number[]>;
  /** Size of a stored version, in bytes. */
  versionBytes: number;
}

const FILES_PER_FOLDER = 20;
const FOLDERS_PER_FOLDER = 10;
/** The share of files that have a second version, and were moved or renamed. */
const CHANGED = 0.1;

/** The entries of a drive that was used for years: folders in folders, versions, and files that were moved. */
function createEntries(count: number): Map<string, EntryState> {
  const clock = createClock(() => 1_600_000_000_000);
  const entries = new Map<string, EntryState>();
  const folders: string[] = [];
  const place = (parent: string, name: string, stamp: string): EntryState => ({
    parent: [parent, stamp],
    name: [name, stamp],
  });
  const createVersion = (): Record<string, FileVersion> => ({
    [formatCid(encodeCid(1, "raw", randomBytes(32)))]: {
      size: Math.floor(Math.random() * 10_000_000),
      added: clock.next(),
      commitment: randomBytes(32).toString("hex"),
      chunkProfile: "unixfs-v1-2025",
      modified: 1_500_000_000_000 + entries.size,
      type: "image/jpeg",
    },
  });
  while (entries.size < count) {
    const id = createEntryId();
    if (entries.size % FILES_PER_FOLDER === 0) {
      const parent = folders[Math.floor(folders.length / FOLDERS_PER_FOLDER) - 1] ?? TOP;
      entries.set(id, { folder: true, ...place(parent, `Holiday ${folders.length}`, clock.next()) });
      folders.push(id);
      continue;
    }
    const isChanged = Math.random() < CHANGED;
    const files = isChanged ? { ...createVersion(), ...createVersion() } : createVersion();
    const stamp = isChanged ? clock.next() : (Object.values(files)[0]?.added ?? "");
    entries.set(id, { ...place(folders.at(-1) ?? TOP, `IMG_2026_${entries.size}.jpg`, stamp), files });
  }
  return entries;
}

async function measureDrive({ endpoints, folder, entries: count, rounds }: DriveJob): Promise<DriveFigures> {
  const times: Record<string, number[]> = {};
  const signer = Wallet.createRandom();
  const account = { endpoints, signer, apiKey: await createApiKey({ signer, endpoints }), pauseMs: 0 };
  const openAt = async (path: string) => openDrive({ ...account, journal: await openJournal({ folder: path }) });

  async function measure<Result>(name: string, work: () => Result | Promise<Result>): Promise<Result> {
    const before = cpuUsage();
    const result = await work();
    const { user, system } = cpuUsage(before);
    times[name] = [...(times[name] ?? []), (user + system) / 1_000];
    return result;
  }

  /** Opens a drive, and ends if entries are missing. */
  async function measureOpening(name: string, path: string): Promise<Drive> {
    const drive = await measure(name, () => openAt(path));
    if (drive.search("").length !== count) throw new Error("Entries are missing");
    return drive;
  }

  // The journal of a device that knows the key, and no version yet.
  const early = join(folder, "early");
  await (await openAt(early)).close();

  const own = join(folder, "own");
  // The drive has its key.
  const refuse = () => Promise.reject(new Error("The drive would be created again"));
  const journal = await openJournal({ folder: own });
  const kit = createKit(account) as unknown as DriveKit;
  const remote = createRemote(kit, signer.address, refuse);
  const core = (await openCore(remote, createLocal(journal, signer.address), "create")) as Core;
  await core.change(() => [{ entries: createEntries(count) }, undefined]);
  await core.close();

  for (let round = 0; round < rounds; round++) {
    const copy = join(folder, `copy-${round}`);
    await cp(early, copy, { recursive: true });
    await (await measureOpening("open from the network", copy)).close();
    await (await measureOpening("open from the journal", copy)).close();
  }

  const drive = await measureOpening("open from the journal", own);
  const [file] = drive.search("IMG_2026_9.jpg");
  const [target] = drive.list();
  if (!file || !target) throw new Error("Entries are missing");
  for (let round = 0; round < rounds; round++) {
    await measure("move: the call", () => drive.move(file, round % 2 === 0 ? "" : target));
    await measure("move: the version after it", () => drive.sync());
    await measure("search", () => drive.search("img"));
  }
  await drive.close();

  let versionBytes = 0;
  for await (const { fileName, fileSizeInBytes } of iterateFiles({ endpoints, apiKey: account.apiKey })) {
    if (fileName === "keeplight-drive") versionBytes = Math.max(versionBytes, Number(fileSizeInBytes));
  }
  return { times, versionBytes };
}

process.send?.(await measureDrive(JSON.parse(process.argv[2] ?? "") as DriveJob));
process.disconnect();
