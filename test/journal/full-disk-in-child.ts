import { Wallet } from "ethers";
import { type Endpoints, isKeeplightError, openJournal, uploadEncrypted } from "../../src/index.ts";

/** What the process uploads. */
export interface FullDiskJob {
  /** Folder of its journal. */
  journal: string;
  privateKey: string;
  apiKey: string;
  endpoints: Endpoints;
}

// A process that is interrupted while it saves the second shard of a key, by any further message. It lives on then.
process.once("message", async ({ journal: folder, privateKey, ...job }: FullDiskJob) => {
  const stop = new AbortController();
  process.on("message", () => stop.abort());
  const journal = await openJournal({ folder });
  const owner = { ...job, signer: new Wallet(privateKey), pauseMs: 600_000, signal: stop.signal };
  try {
    await uploadEncrypted(new File(["a letter"], "letter.txt"), { ...owner, journal });
  } catch (error) {
    process.send?.(isKeeplightError(error) ? error.code : String(error));
  }
});
