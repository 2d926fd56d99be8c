import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Wallet } from "ethers";
import { openDrive } from "../../../packages/drive/src/index.ts";
import { createApiKey, openJournal } from "../../../src/index.ts";
import type { RunningApp } from "./app.ts";

/** What the first account has stored: by the names in its drive, as another device sees it. */
export interface StoredFiles {
  /** Content ids of all versions that there are of each name. */
  byName: ReadonlyMap<string, readonly string[]>;
  /** How many files are listed that are in no folder. */
  loose: number;
}

export async function readStoredFiles({ devnet: { endpoints, accounts } }: RunningApp): Promise<StoredFiles> {
  const signer = new Wallet(accounts[0]?.privateKey ?? "");
  const folder = await mkdtemp(join(tmpdir(), "keeplight-stored-"));
  const journal = await openJournal({ folder });
  const apiKey = await createApiKey({ signer, endpoints });
  const drive = await openDrive({ signer, apiKey, endpoints, journal, pauseMs: 0, retryMs: 0 });
  try {
    const byName = new Map<string, string[]>();
    for (const entry of drive.listAll()) {
      if (entry.type !== "file") continue;
      byName.set(entry.name, [...(byName.get(entry.name) ?? []), ...drive.versions(entry).map(({ cid }) => cid)]);
    }
    return { byName, loose: (await drive.listLoose()).length };
  } finally {
    await drive.close();
    await rm(folder, { recursive: true, force: true });
  }
}
