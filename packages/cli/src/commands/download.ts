import { lstat } from "node:fs/promises";
import { stdout } from "node:process";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { DownloadReport, KeyReport, RecoveryKit, SavedFile } from "keeplight";
import { UsageError } from "../frame/failure.ts";
import type { Invocation } from "../frame/invocation.ts";
import { clean, formatBytes } from "../output/format.ts";
import { openKitOf } from "../steps/inputs.ts";

/** Downloads a file as it is stored. */
export async function runGet(invocation: Invocation): Promise<void> {
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

/** Downloads and decrypts a file. */
export async function runDecrypt(invocation: Invocation): Promise<void> {
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

/** Where a download goes. */
export interface Destination {
  /** Path, or `-` for standard output. */
  path: string;
  /** As the network reports it, if it was requested. */
  networkName?: string | null;
}

/** Decides where a download goes; refuses to replace a file without `--force`. */
export async function chooseDestination(invocation: Invocation, cid: string): Promise<Destination> {
  const { option, flag, load, call } = invocation;
  const output = option("output");
  const usesName = flag("nameFromNetwork");
  if (output !== undefined && usesName) throw new UsageError("--output and --name-from-network exclude each other");
  if (output === "-") {
    if (flag("json")) throw new UsageError("Standard output cannot be both the file and its events");
    return { path: output };
  }
  const { getFileInfo } = await load();
  const networkName = usesName ? (await getFileInfo(cid, call)).fileName : undefined;
  const path = output ?? toFileName(networkName ?? "") ?? toFileName(cid) ?? "file";
  if (!flag("force") && (await exists(path))) {
    throw new UsageError(`${path} exists already`, {
      code: "FILE_EXISTS",
      hint: "Set --force to replace it, or --output.",
    });
  }
  return { path, ...(networkName === undefined ? {} : { networkName }) };
}

/** Prints where a file is now. */
export function reportSaved(
  { output }: Invocation,
  { path: asked, networkName }: Destination,
  cid: string,
  { path, size }: SavedFile,
  more: object,
): void {
  if (asked === "-") return;
  const name = networkName === undefined ? {} : { networkName };
  output.result({ cid, path, size, ...name, ...more }, { text: () => `${path}  ${formatBytes(size)}`, quiet: path });
}

/** Reports what a download would write. */
export function reportPlanned(
  { output }: Invocation,
  { path, networkName }: Destination,
  cid: string,
  more: object,
): void {
  const name = networkName === undefined ? {} : { networkName };
  output.result(
    { cid, path, size: null, ...name, ...more },
    { text: () => `Would write ${path}; nothing was downloaded`, quiet: path },
  );
}

/** Writes a stream to standard output. A reader that ends early, such as `head`, ends it. */
export async function writeToStdout(stream: ReadableStream<Uint8Array>): Promise<void> {
  try {
    await pipeline(Readable.fromWeb(stream as Parameters<typeof Readable.fromWeb>[0]), stdout, { end: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPIPE") throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== "ENOENT",
  );
}

const RESERVED = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(\.|$)/i;
/** File systems allow 255 bytes; a part of that is left for temporary names. */
const MAX_BYTES = 200;

/**
 * Makes a file name of one that the network reports: in one folder, not hidden, not an option of a command, and valid on
 * every file system. Returns `undefined` if nothing is left of it.
 */
export function toFileName(reported: string): string | undefined {
  const last = reported.split(/[\\/]/).at(-1) ?? "";
  const shown = clean(last)
    .replace(/[<>:"|?*\ufffd]/g, "_")
    .replace(/^[.\-\s~]+/, "")
    .replace(/[.\s]+$/, "");
  const cut = cutBytes(shown).replace(/[.\s]+$/, "");
  if (/^_*$/.test(cut)) return undefined;
  return RESERVED.test(cut) ? `_${cut}` : cut;
}

/** Cuts a name to its longest allowed length, before its ending. */
function cutBytes(name: string): string {
  if (Buffer.byteLength(name) <= MAX_BYTES) return name;
  const [, stem = name, ending = ""] = /^(.+?)(\.[^.]{1,16})?$/su.exec(name) ?? [];
  let cut = "";
  let bytes = Buffer.byteLength(ending);
  for (const character of stem) {
    bytes += Buffer.byteLength(character);
    if (bytes > MAX_BYTES) break;
    cut += character;
  }
  return cut + ending;
}

/** Options of a download by `--unverified`, and what it reports. */
interface Verification {
  options: { verifyCid: boolean; onDownloaded: (report: DownloadReport) => void };
  /** Returns what proved the bytes; warns if nothing did. */
  check(): NonNullable<DownloadReport["by"]> | false;
}

/** Watches how a download is verified. */
export function watchVerification({ flag, output }: Invocation): Verification {
  let report: DownloadReport | undefined;
  return {
    options: {
      verifyCid: !flag("unverified"),
      onDownloaded(seen) {
        report = seen;
      },
    },
    check() {
      if (!report?.verified) output.warn("Nothing proves that these bytes are those of the content id.");
      return report?.by ?? false;
    },
  };
}
