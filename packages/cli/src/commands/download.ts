import { lstat } from "node:fs/promises";
import { stdout } from "node:process";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { DownloadReport, KeyReport, Progress, RecoveryKit, SavedFile } from "keeplight";
import { UsageError } from "../frame/failure.ts";
import type { Invocation } from "../frame/invocation.ts";
import { clean, formatBytes } from "../output/format.ts";
import { openKitOf } from "../steps/inputs.ts";

export async function get(invocation: Invocation): Promise<void> {
  const { load, call, argument, isDryRun } = invocation;
  const { download } = await load();
  const cid = argument("cid");
  const destination = await chooseDestination(invocation, cid);
  if (isDryRun) return report(invocation, destination, { verified: false });
  const { options, check } = watch(invocation, cid);
  if (destination.path === "-") {
    const stream = await download(cid, { ...call, ...options, as: "stream" });
    check();
    return writeToStdout(stream);
  }
  const saved = await download(cid, { ...call, ...options, to: destination.path });
  report(invocation, destination, { verified: check() }, saved);
}

export async function decrypt(invocation: Invocation): Promise<void> {
  const { load, keyCall, account, output, argument, option, flag, isDryRun } = invocation;
  const { decrypt } = await load();
  const cid = argument("cid");
  const destination = await chooseDestination(invocation, cid);
  if (isDryRun) return report(invocation, destination, {});
  const recovery = option("kit");
  const owner =
    recovery === undefined
      ? { signer: await account.signer(), ownerAddress: option("owner") }
      : readKit(await openKitOf(invocation, recovery), cid);
  const { options, check } = watch(invocation, cid);
  let key: KeyReport | undefined;
  const onKeyRecovered = (seen: KeyReport) => {
    key = seen;
  };
  const opening = { ...keyCall, ...owner, ...options, strict: flag("strict"), onKeyRecovered };
  if (destination.path === "-") {
    const stream = await decrypt(cid, { ...opening, as: "stream" });
    check();
    return writeToStdout(stream);
  }
  const saved = await decrypt(cid, { ...opening, to: destination.path });
  check();
  const { faultyNodes = [], nodes } = key ?? {};
  if (faultyNodes.length > 0) {
    output.warn(`Key node ${faultyNodes.join(", ")} returned a wrong shard: keeplight repair ${cid}`);
  }
  report(invocation, destination, { keyNodes: nodes }, saved);
}

/** Returns what a kit knows of a file. */
function readKit(kit: RecoveryKit, cid: string) {
  const { chunkProfile } = kit.entries.find((entry) => entry.cid === cid) ?? {};
  return { key: kit.keys(cid), chunkProfile };
}

/** Where a download goes. */
interface Destination {
  cid: string;
  /** Path, or `-` for standard output. */
  path: string;
  /** As the network reports it, if it was requested. */
  networkName?: string | null | undefined;
}

/** Decides where a download goes; refuses to replace a file without `--force`. */
async function chooseDestination({ option, flag, load, call }: Invocation, cid: string): Promise<Destination> {
  const output = option("output");
  const usesName = flag("nameFromNetwork");
  if (output !== undefined && usesName) throw new UsageError("--output and --name-from-network exclude each other");
  if (output === "-") {
    if (flag("json")) throw new UsageError("Standard output cannot be both the file and its events");
    return { cid, path: output };
  }
  const { getFileInfo } = await load();
  const networkName = usesName ? (await getFileInfo(cid, call)).fileName : undefined;
  const path = output ?? toFileName(networkName ?? "") ?? toFileName(cid) ?? "file";
  if (flag("force") || !(await exists(path))) return { cid, path, networkName };
  throw new UsageError(`${path} exists already`, "FILE_EXISTS", "Set --force to replace it, or --output.");
}

/** Reports what a download has written; in a dry run, what it would write. */
function report({ output }: Invocation, to: Destination, more: object, saved?: SavedFile): void {
  const { path, size } = saved ?? { path: to.path, size: null };
  const text = saved ? `${path}  ${formatBytes(size)}` : `Would write ${path}; nothing was downloaded`;
  output.result({ cid: to.cid, path, size, networkName: to.networkName, ...more }, text, path);
}

/** Writes a stream to standard output. A reader that ends early, such as `head`, ends it. */
async function writeToStdout(stream: ReadableStream<Uint8Array>): Promise<void> {
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

/** Returns options of a download by `--unverified`, and what finds out how it was verified. */
function watch({ flag, output }: Invocation, cid: string) {
  let report: DownloadReport | undefined;
  return {
    options: {
      verifyCid: !flag("unverified"),
      onDownloaded: (seen: DownloadReport) => {
        report = seen;
      },
      onProgress: (progress: Progress) => output.progress(cid, progress),
    },
    /** Returns what proved the bytes; warns if nothing did. */
    check(): NonNullable<DownloadReport["by"]> | false {
      if (!report?.verified) output.warn("Nothing proves that these bytes are those of the content id.");
      return report?.by ?? false;
    },
  };
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
