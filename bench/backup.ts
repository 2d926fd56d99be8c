import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { Wallet } from "ethers";
import { backupFolder, restoreBackup } from "../packages/bulk/src/backup/index.ts";
import { startDevnet } from "../packages/devnet/src/index.ts";
import { createApiKey } from "../src/index.ts";

// Backs up a folder twice, with a hundred changed files, and restores both snapshots:
// npx tsx --conditions=keeplight-source bench/backup.ts [files]
// Goal: the second backup sends the changed files only, in at most 5 % of the time of the first.

const files = Number(process.argv[2] ?? 50_000);
const CHANGED = 100;

const place = await mkdtemp(join(tmpdir(), "keeplight-bench-"));
const devnet = await startDevnet();
try {
  const folder = join(place, "data");
  const pathOf = (at: number) => join(folder, `d${Math.floor(at / 500)}`, `f${at}.txt`);
  for (let at = 0; at < files; at++) {
    if (at % 500 === 0) await mkdir(join(folder, `d${at / 500}`), { recursive: true });
    await writeFile(pathOf(at), `file ${at} `.padEnd(1_000, "x"));
  }
  const signer = new Wallet(devnet.accounts[0]?.privateKey ?? "");
  const { endpoints } = devnet;
  const apiKey = await createApiKey({ signer, endpoints });
  const options = { state: join(place, "state"), apiKey, signer, endpoints, pauseMs: 0 };
  // What was changed just now is read again.
  await setTimeout(2_500);

  const before = await hashTree(folder);
  const [first, firstSeconds] = await measure(() => backupFolder(folder, options));
  for (let at = 0; at < CHANGED; at++) await writeFile(pathOf(Math.floor((at * files) / CHANGED)), `changed ${at}`);
  const [second, secondSeconds] = await measure(() => backupFolder(folder, options));
  console.log(`first: ${first.sent} files sent in ${firstSeconds.toFixed(1)} s`);
  const share = (100 * secondSeconds) / firstSeconds;
  console.log(`second: ${second.sent} files sent in ${secondSeconds.toFixed(1)} s, ${share.toFixed(1)} % of the first`);

  const after = await hashTree(folder);
  for (const [name, { cid }, expected] of [
    ["first", first, before],
    ["second", second, after],
  ] as const) {
    const to = join(place, name);
    const [{ restored }, seconds] = await measure(() => restoreBackup(cid, to, { signer, endpoints, pauseMs: 0 }));
    const isEqual = (await hashTree(to)) === expected;
    console.log(`restore of the ${name}: ${restored} files in ${seconds.toFixed(1)} s, equal: ${isEqual}`);
  }
  console.log(`peak memory: ${Math.round(process.resourceUsage().maxRSS / 1024)} MiB, with the devnet`);
} finally {
  await devnet.close();
  await rm(place, { recursive: true, force: true });
}

async function measure<T>(work: () => Promise<T>): Promise<[result: T, seconds: number]> {
  const startedAt = performance.now();
  const result = await work();
  return [result, (performance.now() - startedAt) / 1_000];
}

/** Hashes the paths and bytes of all files below a folder. */
async function hashTree(folder: string): Promise<string> {
  const hash = createHash("sha256");
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = found.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  for (const path of paths.sort()) hash.update(path.slice(folder.length)).update(await readFile(path));
  return hash.digest("hex");
}
