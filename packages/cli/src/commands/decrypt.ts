import type { KeyReport, RecoveryKit } from "keeplight";
import type { Invocation } from "../frame/invocation.ts";
import { chooseDestination, reportPlanned, reportSaved, writeToStdout } from "../steps/destination.ts";
import { openKitOf } from "../steps/recovery-kit.ts";
import { watchVerification } from "../steps/verification.ts";

/** Downloads and decrypts a file. */
export async function run(invocation: Invocation): Promise<void> {
  const { load, keyCall, account, output, argument, option, flag, isDryRun } = invocation;
  const kit = await load();
  const cid = argument("cid");
  const destination = await chooseDestination(invocation, cid);
  if (isDryRun) return reportPlanned(invocation, destination, cid, {});
  const recovery = option("kit");
  const owner =
    recovery === undefined
      ? { signer: await account.signer(), ownerAddress: option("owner") }
      : readKit(await openKitOf(invocation, recovery), cid);
  const verification = watchVerification(invocation);
  let report: KeyReport | undefined;
  const options = {
    ...keyCall,
    ...owner,
    strict: flag("strict"),
    ...verification.options,
    onProgress: (progress: Parameters<typeof output.progress>[1]) => output.progress(cid, progress),
    onKeyRecovered: (seen: KeyReport) => {
      report = seen;
    },
  };
  if (destination.path === "-") {
    const stream = await kit.decrypt(cid, { ...options, as: "stream" });
    verification.check();
    return writeToStdout(stream);
  }
  const saved = await kit.decrypt(cid, { ...options, to: destination.path });
  verification.check();
  if (report && report.faultyNodes.length > 0) {
    output.warn(`Key node ${report.faultyNodes.join(", ")} returned a wrong shard: keeplight repair ${cid}`);
  }
  reportSaved(invocation, destination, cid, saved, report ? { keyNodes: report.nodes } : {});
}

/** Returns what a kit knows of a file. */
function readKit(kit: RecoveryKit, cid: string) {
  const { chunkProfile } = kit.entries.find((entry) => entry.cid === cid) ?? {};
  return { key: kit.keys(cid), chunkProfile };
}
