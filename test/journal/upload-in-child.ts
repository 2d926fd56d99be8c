import { Wallet } from "ethers";
import { openJournal, uploadEncrypted } from "../../src/index.ts";
import type { ChildJob } from "./kill-rig.ts";

// A process for tests that kill it: uploads what it is told to, with a journal.
process.once("message", async ({ journal: folder, source, apiKey, privateKey, endpoints, pauseMs }: ChildJob) => {
  process.send?.("started");
  const journal = await openJournal({ folder });
  await uploadEncrypted(source, { apiKey, signer: new Wallet(privateKey), endpoints, pauseMs, retryMs: 0, journal });
  process.send?.("done");
  process.disconnect();
});
