import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Wallet } from "ethers";
import { type Endpoints, openJournal } from "../../../src/index.ts";
import { openDrive } from "../src/index.ts";

/** What a process does until it is killed. */
export interface DriveJob {
  journal: string;
  /** Folder of the files that it adds. */
  sources: string;
  privateKey: string;
  apiKey: string;
  endpoints: Endpoints;
}

/** What it reports: a call that it makes, and that it has resolved. */
export interface DriveReport {
  at: number;
  what: "folder" | "add" | "move" | "sync";
  isDone: boolean;
}

// A process for tests that kill it: adds files, creates folders, and moves what it has added, until then.
process.once("message", async ({ journal: folder, sources, privateKey, ...account }: DriveJob) => {
  const own = { ...account, signer: new Wallet(privateKey), pauseMs: 0, retryMs: 0 };
  const drive = await openDrive({ ...own, journal: await openJournal({ folder }) });
  const report = (message: DriveReport) => new Promise((resolve) => process.send?.(message, resolve));
  const run = async (at: number, what: DriveReport["what"], call: () => Promise<unknown>) => {
    await report({ at, what, isDone: false });
    await call();
    await report({ at, what, isDone: true });
  };
  process.send?.("started");
  for (let at = 0; ; at++) {
    const source = join(sources, String(at));
    await mkdir(source);
    await writeFile(join(source, `${at}.txt`), `content ${at}`);
    const storing = at % 2 === 0 ? run(at, "sync", () => drive.sync()) : undefined;
    await run(at, "folder", () => drive.createFolder(`folder ${at}`));
    await run(at, "add", () => drive.add(join(source, `${at}.txt`)));
    await run(at, "move", () => drive.move(`${at}.txt`, `folder ${at}`));
    await storing;
  }
});
