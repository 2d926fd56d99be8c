import type { Invocation } from "../frame/invocation.ts";
import { chooseDestination, reportPlanned, reportSaved, writeToStdout } from "../steps/destination.ts";
import { watchVerification } from "../steps/verification.ts";

/** Downloads a file as it is stored. */
export async function run(invocation: Invocation): Promise<void> {
  const { load, call, output, argument, isDryRun } = invocation;
  const { download } = await load();
  const cid = argument("cid");
  const destination = await chooseDestination(invocation, cid);
  if (isDryRun) return reportPlanned(invocation, destination, cid, { verified: false });
  const verification = watchVerification(invocation);
  const options = {
    ...call,
    ...verification.options,
    onProgress: (progress: Parameters<typeof output.progress>[1]) => output.progress(cid, progress),
  };
  if (destination.path === "-") {
    const stream = await download(cid, { ...options, as: "stream" });
    verification.check();
    return writeToStdout(stream);
  }
  const saved = await download(cid, { ...options, to: destination.path });
  reportSaved(invocation, destination, cid, saved, { verified: verification.check() });
}
