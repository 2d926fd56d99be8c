import { execFile, fork } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { appendFile, mkdir, mkdtemp, open, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { Wallet } from "ethers";
import { type BackupResult, backupFolder, checkBackups, restoreBackup } from "../packages/backup/src/index.ts";
import { type Endpoints, iterateFiles } from "../src/index.ts";
import { bundleBesidePackages } from "../test/support/bundle-script.ts";
import { nextMessage } from "../test/support/next-message.ts";

// Backs up folders by chunks, beside restic to a local folder:
// npx tsx --conditions=keeplight-source bench/backup-engine.ts [files] [MiB that change by 1 %]
// Goals: one byte more of 50 MiB sends at most 5 MiB; 1 % of a large folder sends at most 3 % of it; stored bytes are at most 1.25
// times those of restic. Restic's part is left out where it is not installed.

const files = Number(process.argv[2] ?? 50_000);
const megabytes = Number(process.argv[3] ?? 1_024);
const MIB = 1024 * 1024;
const run = promisify(execFile);

interface Described {
  endpoints: Endpoints;
  apiKey: string;
  privateKey: string;
}

async function main(): Promise<void> {
  const place = await mkdtemp(join(tmpdir(), "keeplight-bench-"));
  const devnet = fork(process.argv[4] ?? "");
  try {
    const { endpoints, apiKey, privateKey } = await nextMessage<Described>(devnet);
    const signer = new Wallet(privateKey);
    const account = { apiKey, signer, endpoints, pauseMs: 0 };
    const options = { ...account, state: join(place, "state") };

    const one = join(place, "one");
    await mkdir(one);
    await writeRandom(join(one, "file"), 50);
    await backupFolder(one, options);
    await appendFile(join(one, "file"), "!");
    console.log(`one byte more of 50 MiB: ${toMib((await backupFolder(one, options)).sentBytes)} sent (goal: 5 MiB)`);

    const large = join(place, "large");
    await writeLarge(large, megabytes);
    const [whole, seconds] = await measure(() => backupFolder(large, options));
    console.log(`${megabytes} MiB: ${toMib(whole.sentBytes)} sent in ${seconds.toFixed(1)} s; ${peakMemory()}`);
    await changeLarge(large);
    const [changed, changedSeconds] = await measure(() => backupFolder(large, options));
    const share = (100 * changed.sentBytes) / whole.bytes;
    console.log(
      `1 % changed: ${share.toFixed(2)} % sent in ${changedSeconds.toFixed(1)} s (goal: 3 %); ${peakMemory()}`,
    );
    await rm(large, { recursive: true });

    const many = join(place, "many");
    await writeMany(many, files);
    const before = await countStored(account);
    const [first, firstSeconds] = await measure(() => backupFolder(many, options));
    const stored = (await countStored(account)) - before;
    const [, checkSeconds] = await measure(() => checkBackups(account));
    console.log(`checked all of it; ${peakMemory()}`);
    const to = join(place, "to");
    const [, restoreSeconds] = await measure(() => restoreBackup(first.cid, to, { signer, endpoints, pauseMs: 0 }));
    const isEqual = (await hashTree(to)) === (await hashTree(many));
    report("keeplight", { stored, first, firstSeconds, checkSeconds, restoreSeconds });
    console.log(`restored bytes are equal: ${isEqual}`);
    await compareRestic(place, many, first);
    console.log(peakMemory());
  } finally {
    devnet.disconnect();
    await rm(place, { recursive: true, force: true });
  }
}

interface Measured {
  stored: number;
  first: BackupResult;
  firstSeconds: number;
  checkSeconds: number;
  restoreSeconds: number;
}

function report(name: string, { stored, first, firstSeconds, checkSeconds, restoreSeconds }: Measured): void {
  const times = `first ${firstSeconds.toFixed(1)} s, check ${checkSeconds.toFixed(1)} s, restore ${restoreSeconds.toFixed(1)} s`;
  console.log(`${name}: ${first.files} files, ${toMib(first.bytes)} stored in ${toMib(stored)}; ${times}`);
}

async function compareRestic(place: string, folder: string, first: BackupResult): Promise<void> {
  const repository = join(place, "restic");
  const restic = (...args: string[]) =>
    run("restic", ["-r", repository, "--no-cache", ...args], { env: { ...process.env, RESTIC_PASSWORD: "x" } });
  try {
    await restic("init", "--repository-version", "2");
  } catch {
    return console.log("restic is not installed: apt-get install restic");
  }
  const [, firstSeconds] = await measure(() => restic("backup", folder));
  const stored = await sizeOf(repository);
  const [, checkSeconds] = await measure(() => restic("check", "--read-data"));
  const target = join(place, "restic-to");
  const [, restoreSeconds] = await measure(() => restic("restore", "latest", "--target", target));
  report("restic", { stored, first, firstSeconds, checkSeconds, restoreSeconds });
}

/** Writes a large folder of files that cannot be compressed, of 64 MiB each. */
async function writeLarge(folder: string, size: number): Promise<void> {
  await mkdir(folder);
  for (let at = 0; at < size; at += 64) {
    await writeRandom(join(folder, `f${at}`), Math.min(64, size - at));
  }
}

/** Writes so many MiB piece by piece: what the backup takes of memory is measured. */
async function writeRandom(path: string, size: number): Promise<void> {
  const handle = await open(path, "w");
  for (let at = 0; at < size; at++) await handle.write(randomBytes(MIB));
  await handle.close();
}

/** Changes 1 % of each file, in one place. */
async function changeLarge(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const { size } = await stat(join(folder, name));
    const handle = await open(join(folder, name), "r+");
    await handle.write(randomBytes(Math.floor(size / 100)), 0, undefined, Math.floor(size / 3));
    await handle.close();
  }
}

/** Writes many files: texts that repeat words, as sources do, and some bytes that cannot be compressed. */
async function writeMany(folder: string, count: number): Promise<void> {
  const words = Array.from({ length: 2_000 }, () => randomBytes(3 + Math.floor(Math.random() * 6)).toString("base64"));
  const draw = () => words[Math.floor(Math.random() ** 2 * words.length)];
  for (let at = 0; at < count; at++) {
    const parent = join(folder, `d${Math.floor(at / 500)}`);
    if (at % 500 === 0) await mkdir(parent, { recursive: true });
    const length = 50 + Math.floor(Math.random() ** 3 * 5_000);
    const text = at % 10 === 0 ? randomBytes(length * 4) : Array.from({ length }, draw).join(" ");
    await writeFile(join(parent, `f${at}.txt`), text);
  }
}

async function countStored({ apiKey, endpoints }: { apiKey: string; endpoints: object }): Promise<number> {
  let bytes = 0;
  for await (const file of iterateFiles({ apiKey, endpoints })) bytes += Number(file.fileSizeInBytes ?? 0);
  return bytes;
}

async function sizeOf(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size;
  }
  return bytes;
}

async function hashTree(folder: string): Promise<string> {
  const hash = createHash("sha256");
  for (const name of (await readdir(folder, { recursive: true })).sort()) {
    const facts = await stat(join(folder, name));
    hash.update(`${name}\n`);
    if (facts.isFile()) hash.update(await readFile(join(folder, name)));
  }
  return hash.digest("hex");
}

/** The most memory that this process has had so far. */
const peakMemory = () => `peak memory ${Math.round(process.resourceUsage().maxRSS / 1024)} MiB`;

const toMib = (bytes: number) => `${(bytes / MIB).toFixed(2)} MiB`;

async function measure<T>(work: () => Promise<T>): Promise<[result: T, seconds: number]> {
  const startedAt = performance.now();
  const result = await work();
  return [result, (performance.now() - startedAt) / 1_000];
}

// What runs the sources would take more memory than the backup.
if (process.argv[4] === undefined) {
  const scripts = ["./backup-engine.ts", "./devnet-process.ts"].map((path) => new URL(path, import.meta.url));
  const [own = "", devnet = ""] = await Promise.all(scripts.map(bundleBesidePackages));
  const child = fork(own, [String(files), String(megabytes), devnet], { execArgv: [] });
  const [status] = await once(child, "exit");
  await Promise.all([own, devnet].map((path) => rm(dirname(path), { recursive: true })));
  process.exitCode = status;
} else await main();
