// Measures encrypted folders of many small files, with one key for all files and with a key each, in turn.
// `npx tsx --conditions=keeplight-source bench/folder-key.ts [files]`.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cpuUsage } from "node:process";
import { Wallet } from "ethers";
import { startDevnet } from "../packages/devnet/src/index.ts";
import { createApiKey, decrypt, uploadEncryptedFolder } from "../src/index.ts";
import { judge, median } from "./judge.ts";

const count = Number(process.argv[2] ?? 1_000);
const FILE_BYTES = 10_000;
const ROUNDS = 3;
const SAMPLES = 20;

const folder = await mkdtemp(join(tmpdir(), "keeplight-folder-key-"));
const devnet = await startDevnet();
try {
  const { endpoints } = devnet;
  const signer = new Wallet(devnet.accounts[0]?.privateKey ?? "");
  const options = { endpoints, signer, apiKey: await createApiKey({ signer, endpoints }), pauseMs: 0 };
  const source = join(folder, "files");
  await mkdir(source);
  for (let at = 0; at < count; at++) await writeFile(join(source, `${at}.bin`), Buffer.alloc(FILE_BYTES, at));

  /** Uploads the folder; returns the seconds that it takes, and those of all processors. */
  async function measure(oneKeyForFolder: boolean) {
    const before = cpuUsage();
    const startedAt = performance.now();
    const { files } = await uploadEncryptedFolder(source, { ...options, oneKeyForFolder });
    const seconds = (performance.now() - startedAt) / 1_000;
    const { user, system } = cpuUsage(before);
    for (const { path, cid } of files.filter((_, at) => at % Math.ceil(count / SAMPLES) === 0)) {
      const expected = Buffer.alloc(FILE_BYTES, Number.parseInt(path, 10));
      if (!expected.equals(await decrypt(cid, { endpoints, signer }))) throw new Error(`${path} has other bytes`);
    }
    return { seconds, processorSeconds: (user + system) / 1e6 };
  }

  const ratios: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const each = await measure(false);
    const one = await measure(true);
    ratios.push(one.seconds / each.seconds);
    const format = ({ seconds, processorSeconds }: typeof one) =>
      `${seconds.toFixed(1)} s (processors ${processorSeconds.toFixed(1)} s)`;
    console.log(`${count} files of ${FILE_BYTES} bytes: a key each ${format(each)}, one key ${format(one)}`);
  }
  ratios.sort((a, b) => a - b);
  judge("encrypted folder: time with one key, of that with a key each", median(ratios), 0.4, "at most");
} finally {
  await devnet.close();
  await rm(folder, { recursive: true, force: true });
}
