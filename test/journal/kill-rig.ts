import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { Wallet } from "ethers";
import type { Devnet } from "../../src/devnet/index.ts";
import { createApiKey, decrypt, type Endpoints, iterateFiles, openJournal } from "../../src/index.ts";
import { createEntries } from "../../src/journal/entries.ts";
import { openJournalKey } from "../../src/journal/journal-key.ts";
import { journalStore } from "../../src/platform/node/journal-folder.ts";

/** What a child process is to upload. */
export interface ChildJob {
  /** Its folder. */
  journal: string;
  source: string;
  apiKey: string;
  privateKey: string;
  endpoints: Endpoints;
  pauseMs: number;
}

/** How an upload is interrupted. */
export interface KillCase {
  files: number;
  pauseMs: number;
  /** When the child is killed after it has started, in milliseconds; never, if it is infinite. */
  killAfterMs: number;
}

/** What was found after an upload was killed and resumed. */
export interface KillOutcome {
  /** Whether it was killed before it was done. */
  isKilled: boolean;
  /** Whether an operation was open, so that it was resumed. */
  isResumed: boolean;
  /** Errors of resuming. */
  errors: unknown[];
  /** Open operations at the end. */
  left: number;
  /** Stored files that do not decrypt to what was uploaded. */
  unopenable: string[];
  /** The most often that any file was stored. */
  mostCopies: number;
  /** Names of files that were resumed and are not stored, or under several content ids in the result. */
  misplaced: string[];
  /** Files under the journal's folder in which a secret is readable. */
  exposed: string[];
  /** How long the child ran, in milliseconds. */
  ranMs: number;
}

/** Bundles the script of the child process, so that it starts fast; returns its path. */
export async function bundleChild(folder: string): Promise<string> {
  const outfile = join(folder, "upload-in-child.mjs");
  await build({
    entryPoints: [fileURLToPath(new URL("./upload-in-child.ts", import.meta.url))],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    conditions: ["keeplight-source"],
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    logLevel: "silent",
  });
  return outfile;
}

/** Starts an upload in a child process, kills that, resumes the upload in this process, and checks what there is. */
export async function killAndResume(devnet: Devnet, script: string, killCase: KillCase): Promise<KillOutcome> {
  const folder = await mkdtemp(join(tmpdir(), "keeplight-kill-"));
  try {
    const { endpoints } = devnet;
    const signer = Wallet.createRandom();
    const apiKey = await createApiKey({ signer, endpoints });
    const source = join(folder, "source");
    const texts = await writeSource(source, killCase.files);
    const journal = join(folder, "journal");
    const { pauseMs } = killCase;
    const job: ChildJob = { journal, source, apiKey, privateKey: signer.privateKey, endpoints, pauseMs };
    const child = fork(script, { stdio: ["ignore", "ignore", "inherit", "ipc"], execArgv: [] });
    const { isKilled, ranMs } = await runAndKill(child, job, killCase.killAfterMs);

    const exposed = await findExposed(journal, [apiKey, signer.privateKey]);
    const opened = await openJournal({ folder: journal });
    const owner = { signer, endpoints, pauseMs: 0, retryMs: 0 };
    const reports = await opened.resumeAll({ ...owner, apiKey });

    const copies = new Map<string, number>();
    const unopenable: string[] = [];
    for await (const { cid, fileName } of iterateFiles({ apiKey, endpoints })) {
      const name = fileName ?? "";
      copies.set(name, (copies.get(name) ?? 0) + 1);
      const text = await decrypt(cid, owner).then(
        (bytes) => new TextDecoder().decode(bytes),
        (error) => String(error),
      );
      if (text !== texts.get(name)) unopenable.push(`${name} ${cid}: ${text}`);
    }
    const results = reports.flatMap((report) => ("kind" in report && report.kind === "upload" ? report.result : []));
    const placed = results.map(({ Name }) => Name);
    const missing = results.length === 0 ? [] : [...texts.keys()].filter((name) => !copies.has(name));
    return {
      isKilled,
      isResumed: reports.length > 0,
      errors: reports.flatMap((report) => ("error" in report ? [report.error] : [])),
      left: (await opened.list()).length,
      unopenable,
      mostCopies: Math.max(0, ...copies.values()),
      misplaced: [...missing, ...placed.filter((name, at) => placed.indexOf(name) !== at)],
      exposed,
      ranMs,
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function writeSource(folder: string, count: number): Promise<Map<string, string>> {
  await mkdir(folder);
  const texts = new Map(Array.from({ length: count }, (_, at) => [`${at}.txt`, `file ${at} `.repeat(1_000)]));
  for (const [name, text] of texts) await writeFile(join(folder, name), text);
  return texts;
}

async function runAndKill(child: ChildProcess, job: ChildJob, killAfterMs: number) {
  const exited = once(child, "exit");
  let isDone = false;
  const started = new Promise<number>((resolve) => {
    child.on("message", (message) => {
      if (message === "started") resolve(performance.now());
      else isDone = true;
    });
  });
  child.send(job);
  const startedAt = await Promise.race([started, exited.then(() => performance.now())]);
  const timer = Number.isFinite(killAfterMs) ? setTimeout(() => child.kill("SIGKILL"), killAfterMs) : undefined;
  await exited;
  clearTimeout(timer);
  return { isKilled: !isDone, ranMs: performance.now() - startedAt };
}

/** Lists the files under a journal's folder in which a secret, as text or as bytes, is readable. */
async function findExposed(folder: string, secrets: readonly string[]): Promise<string[]> {
  const store = await journalStore({ folder });
  const records = await createEntries(store, await openJournalKey(store)).list();
  const all = [...secrets, ...JSON.stringify(records).matchAll(/[0-9a-f]{64}/g)].map(String);
  const names = await readdir(folder);
  const contents = await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name))] as const));
  return contents.flatMap(([name, bytes]) => {
    const isExposed = all.some((secret) => {
      const raw = Buffer.from(secret.replace(/^0x/, ""), "hex");
      return bytes.includes(secret) || (raw.length >= 16 && bytes.includes(raw));
    });
    return isExposed ? [name] : [];
  });
}
