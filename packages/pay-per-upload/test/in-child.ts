import { Wallet } from "ethers";
import { openJournal, upload, uploadEncrypted } from "../../../src/index.ts";
import { payPerUpload } from "../src/index.ts";
import type { ChildJob } from "./interrupted.ts";

// A process for tests that kill it: pays for one upload.
process.once("message", async ({ kind, path, journal: folder, kit, privateKey, endpoints, network }: ChildJob) => {
  const signer = new Wallet(privateKey);
  const payment = payPerUpload({ signer, maxAmount: 100_000, network });
  const journal = await openJournal({ folder });
  process.send?.("started");
  const [file] =
    kind === "plain"
      ? await upload(path, { endpoints, payPerUpload: payment })
      : await uploadEncrypted(path, { endpoints, signer, payPerUpload: payment, journal, ...kit, pauseMs: 5 });
  process.send?.({ file }, () => process.exit());
});
