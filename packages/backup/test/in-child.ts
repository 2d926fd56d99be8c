import { Wallet } from "ethers";
import { backupFolder, pruneBackups, restoreBackup } from "../src/index.ts";
import type { ChildJob } from "./kill.full.ts";

// A process for tests that kill it.
process.once("message", async ({ kind, folder, state, cid, apiKey, privateKey, endpoints }: ChildJob) => {
  const reader = { signer: new Wallet(privateKey), endpoints, pauseMs: 0 };
  const writer = { ...reader, apiKey, state };
  if (kind === "backup") process.send?.({ cid: (await backupFolder(folder, writer)).cid });
  else if (kind === "prune") await pruneBackups({ ...writer, graceMs: 0 });
  else await restoreBackup(cid, folder, { ...reader, outsideLinks: true });
  process.disconnect();
});
