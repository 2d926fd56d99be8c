import { decrypt, download, isKeeplightError, openJournal } from "../../src/index.ts";
import type { DownloadEnd, DownloadJob } from "./kill-downloads.ts";

// A process for tests that kill it: saves one file, with a journal.
process.once("message", async ({ kind, cid, key, journal: folder, to, endpoints }: DownloadJob) => {
  const journal = await openJournal({ folder });
  process.send?.("started");
  const options = { endpoints, to, journal };
  process.send?.(await run());
  process.disconnect();

  async function run(): Promise<DownloadEnd> {
    try {
      const { size } = await (kind === "download" ? download(cid, options) : decrypt(cid, { ...options, key }));
      return { size };
    } catch (error) {
      return { code: isKeeplightError(error) ? error.code : String(error) };
    }
  }
});
