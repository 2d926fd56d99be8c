import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Wallet } from "ethers";
import type { Devnet } from "../../packages/devnet/src/index.ts";
import { openRecoveryKit } from "../../packages/recovery/src/index.ts";
import { createApiKey, createRecoveryIdentity, decrypt, iterateFiles, openJournal } from "../../src/index.ts";
import { createEntries } from "../../src/journal/entries.ts";
import { openJournalKey } from "../../src/journal/journal-key.ts";
import { journalStore } from "../../src/platform/node/journal-folder.ts";
import { BUSY_TIMEOUT_MS, forkChild, type Pace, runAndKill } from "./child.ts";

/** How an upload is interrupted. */
export interface KillCase {
  files: number;
  pace: Pace;
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
  /** Stored files whose key is not in the recovery kit. */
  notInKit: string[];
  /** The most often that any file was stored. */
  mostCopies: number;
  /** Names of files that were resumed and are not stored, or under several content ids in the result. */
  misplaced: string[];
  /** Files under the journal's folder in which a secret is readable. */
  exposed: string[];
  /** How long the child ran, in milliseconds. */
  ranMs: number;
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
    const { identity, recipient } = await createRecoveryIdentity();
    const recoveryTo = join(folder, "kit");
    await mkdir(recoveryTo);
    const kit = { recovery: recipient, recoveryTo };
    const work = { kind: "upload", source, kit } as const;
    const job = { journal, work, apiKey, privateKey: signer.privateKey, endpoints, pace: killCase.pace };
    const { isKilled, ranMs } = await runAndKill(forkChild(script), job, killCase.killAfterMs);

    const exposed = await findExposed(journal, [apiKey, signer.privateKey]);
    const opened = await openJournal({ folder: journal });
    const owner = { signer, endpoints, pauseMs: 0, retryMs: 0, timeoutMs: BUSY_TIMEOUT_MS };
    const reports = await opened.resumeAll({ ...owner, apiKey });

    const copies = new Map<string, number>();
    const unopenable: string[] = [];
    const notInKit: string[] = [];
    const written = (await readdir(recoveryTo)).some((name) => name.endsWith(".age"));
    const kitOpened = written ? await openRecoveryKit(recoveryTo, { identity }) : undefined;
    const keys = new Map(kitOpened?.entries.map(({ cid }) => [cid, kitOpened.keys(cid)]));
    for await (const { cid, fileName } of iterateFiles({ apiKey, endpoints })) {
      const name = fileName ?? "";
      copies.set(name, (copies.get(name) ?? 0) + 1);
      const read = (options: object) =>
        decrypt(cid, { ...owner, ...options }).then(
          (bytes) => new TextDecoder().decode(bytes),
          (error) => String(error),
        );
      const text = await read({});
      if (text !== texts.get(name)) unopenable.push(`${name} ${cid}: ${text}`);
      const kitKey = keys.get(cid);
      if (kitKey === undefined || (await read({ key: kitKey })) !== texts.get(name)) notInKit.push(`${name} ${cid}`);
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
      notInKit,
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
