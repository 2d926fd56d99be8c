import { Wallet } from "ethers";
import {
  kavachRepair,
  kavachRevoke,
  kavachSetAccessConditions,
  kavachShare,
  kavachTransferOwnership,
  openJournal,
  uploadEncrypted,
  uploadEncryptedFolder,
} from "../../src/index.ts";
import { samples } from "../access-conditions/samples.ts";
import { BUSY_TIMEOUT_MS, type ChildJob } from "./child.ts";

// A process for tests that kill it: carries out one job, with a journal.
process.once("message", async (job: ChildJob) => {
  const { work, apiKey, privateKey, endpoints, pace } = job;
  const journal = await openJournal({ folder: job.journal });
  const owner = { signer: new Wallet(privateKey), endpoints, ...pace, retryMs: 0, timeoutMs: BUSY_TIMEOUT_MS };
  process.send?.("started");
  process.send?.({ result: await run() });
  process.disconnect();

  async function run(): Promise<unknown> {
    switch (work.kind) {
      case "upload":
        return uploadEncrypted(work.source, { ...owner, apiKey, ...work.kit, journal });
      case "folder":
        return uploadEncryptedFolder(work.source, { ...owner, apiKey, journal });
      case "resume": {
        const reports = await journal.resumeAll({ ...owner, apiKey });
        return reports.map((report) => ("error" in report ? { error: report.error } : { id: report.id }));
      }
      case "share":
        return kavachShare(work.cid, { ...owner, shareTo: work.friend, journal });
      case "revoke":
        return kavachRevoke(work.cid, { ...owner, revokeTo: work.friend, journal });
      case "conditions":
        return kavachSetAccessConditions(work.cid, { ...owner, conditions: [samples.native], journal });
      case "transfer":
        return kavachTransferOwnership(work.cid, { ...owner, newOwner: work.friend, journal });
      case "repair":
        return kavachRepair(work.cid, { ...owner, journal });
    }
  }
});
