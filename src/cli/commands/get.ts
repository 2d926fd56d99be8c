import type { DownloadReport } from "../../index.ts";
import type { Invocation } from "../frame/invocation.ts";
import { chooseDestination, reportPlanned, reportSaved, writeToStdout } from "../steps/destination.ts";

/** Downloads a file as it is stored. */
export async function run(invocation: Invocation): Promise<void> {
  const { load, call, output, argument, flag, isDryRun } = invocation;
  const { download } = await load();
  const cid = argument("cid");
  const destination = await chooseDestination(invocation, cid);
  if (isDryRun) return reportPlanned(invocation, destination, cid, { verified: false });
  let report: DownloadReport | undefined;
  const options = {
    ...call,
    verifyCid: !flag("unverified"),
    onProgress: (progress: Parameters<typeof output.progress>[1]) => output.progress(cid, progress),
    onDownloaded: (seen: DownloadReport) => {
      report = seen;
    },
  };
  if (destination.path === "-") return writeToStdout(await download(cid, { ...options, as: "stream" }));
  const saved = await download(cid, { ...options, to: destination.path });
  if (!report?.verified) output.warn("Nothing proves that these bytes are those of the content id.");
  reportSaved(invocation, destination, cid, saved, { verified: report?.by ?? false });
}
