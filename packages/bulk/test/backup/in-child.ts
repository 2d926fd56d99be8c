import { Wallet } from "ethers";
import { backupFolder, restoreBackup } from "../../src/backup/index.ts";
import type { ChildJob } from "./child.ts";

// A process for tests that kill it.
process.once("message", async ({ folder, state, cid, apiKey, privateKey, endpoints }: ChildJob) => {
  const account = { signer: new Wallet(privateKey), endpoints, pauseMs: 0 };
  const report = ({ files }: { files: number }) => void process.send?.({ files });
  if (cid === undefined) {
    const result = await backupFolder(folder, { ...account, apiKey, state, workers: 1, onProgress: report });
    process.send?.({ cid: result.cid });
  } else {
    await restoreBackup(cid, folder, { ...account, onProgress: report });
    process.send?.({ cid });
  }
  process.disconnect();
});
