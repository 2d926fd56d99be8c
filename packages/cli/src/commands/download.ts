import { resolve } from "node:path";
import { stdout } from "node:process";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { RecoveryKit } from "@keeplight/recovery";
import type { DownloadReport, KeyReport, Progress, SavedFile } from "keeplight";
import { UsageError } from "../frame/failure.ts";
import type { Invocation } from "../frame/invocation.ts";
import { formatBytes } from "../output/format.ts";
import { toFileName } from "../steps/file-names.ts";
import { openKitOf } from "../steps/inputs.ts";
import { exists, saveNew } from "../steps/place-file.ts";
import { type Reference, readReference } from "../steps/reference.ts";
import { listEntries } from "../steps/remote-tree.ts";
import { getTree } from "./get-tree.ts";

export async function get(invocation: Invocation): Promise<void> {
  const { argument, flag, options, isDryRun } = invocation;
  if (flag("recursive")) return getTree(invocation);
  if (options("include").length + options("exclude").length > 0 || flag("safeNames")) {
    throw new UsageError("--include, --exclude and --safe-names are for a folder: add -r");
  }
  const reference = await readReference(argument("cid"));
  const destination = await chooseDestination(invocation, reference);
  try {
    if (isDryRun) return report(invocation, destination, { verified: false }, await measure(invocation, reference));
    await getFile(invocation, destination, await findFile(invocation, reference));
  } catch (error) {
    if (!(await isFolder(invocation, reference, error))) throw error;
    const typed = argument("cid");
    throw new UsageError(
      `${typed} is a folder`,
      "IS_FOLDER",
      `Add -r to store all that is in it: keeplight get -r ${typed}`,
    );
  }
}

async function getFile(invocation: Invocation, destination: Destination, cid: string): Promise<void> {
  const { load, call } = invocation;
  const { download } = await load();
  const { options, check } = watch(invocation, cid);
  if (destination.path === "-") {
    const stream = await download(cid, { ...call, ...options, as: "stream" });
    check();
    return writeToStdout(stream);
  }
  const saved = await save(destination, (to) => download(cid, { ...call, ...options, to }));
  report(invocation, { ...destination, cid }, { verified: check() }, saved);
}

/** Returns the content id of a file. */
async function findFile({ load, call }: Invocation, { cid, path }: Reference): Promise<string> {
  if (path === "") return cid;
  const { openFile } = await load();
  return (await openFile(cid, { ...call, path })).cid;
}

/** Returns the size of a file, which a gateway may not say before it sends all of it. */
async function measure({ load, call }: Invocation, { cid, path }: Reference): Promise<number | null> {
  const { openFile, isKeeplightError } = await load();
  try {
    return (await openFile(cid, { ...call, path })).size;
  } catch (error) {
    if (isKeeplightError(error, "UNSUPPORTED") && Object(error.details)["url"] !== undefined) return null;
    throw error;
  }
}

/** Errors of a folder that is downloaded as if it were a file. */
const OF_FOLDERS = ["UNSUPPORTED", "HTTP_STATUS", "NOT_VERIFIED"];

/** Whether an error is that of a folder where a file is expected. */
async function isFolder(invocation: Invocation, reference: Reference, error: unknown): Promise<boolean> {
  const { isKeeplightError } = await invocation.load();
  if (!isKeeplightError(error) || !OF_FOLDERS.includes(error.code)) return false;
  try {
    for await (const _ of listEntries(invocation, reference)) break;
    return true;
  } catch {
    return false;
  }
}

export async function decrypt(invocation: Invocation): Promise<void> {
  const { load, keyCall, account, output, argument, option, flag, isDryRun } = invocation;
  const { decrypt } = await load();
  const cid = argument("cid");
  const destination = await chooseDestination(invocation, { cid, path: "" });
  if (isDryRun) return report(invocation, destination, {}, null);
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
  const saved = await save(destination, (to) => decrypt(cid, { ...opening, to }));
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
  /** Whether a file at the path is replaced. */
  replaces: boolean;
}

/** Decides where a download goes; refuses to replace a file without `--force`. */
async function chooseDestination(
  { option, flag, load, call }: Invocation,
  { cid, path: below }: Reference,
): Promise<Destination> {
  const output = option("output");
  const usesName = flag("nameFromNetwork");
  if (output !== undefined && usesName) throw new UsageError("--output and --name-from-network exclude each other");
  if (output === "-") {
    if (flag("json")) throw new UsageError("Standard output cannot be both the file and its events");
    return { cid, path: output, replaces: false };
  }
  const { getFileInfo } = await load();
  const networkName = usesName && below === "" ? (await getFileInfo(cid, call)).fileName : undefined;
  const path = output ?? toFileName(networkName ?? below) ?? toFileName(cid) ?? "file";
  const replaces = flag("force");
  if (replaces || !(await exists(path))) return { cid, path, networkName, replaces };
  throw new UsageError(`${path} exists already`, "FILE_EXISTS", "Set --force to replace it, or --output.");
}

/** Saves a download. A file that has appeared at its path meanwhile stays, unless files are replaced. */
async function save({ path, replaces }: Destination, download: (to: string) => Promise<SavedFile>): Promise<SavedFile> {
  if (replaces) return download(path);
  const { size } = await saveNew(path, download);
  return { path: resolve(path), size };
}

/** Reports what a download has written; in a dry run, what it would write, by its size if that is known. */
function report({ output }: Invocation, to: Destination, more: object, saved: SavedFile | number | null): void {
  const isSaved = typeof saved === "object" && saved !== null;
  const { path, size } = isSaved ? saved : { path: to.path, size: saved };
  const about = `${path}${size === null ? "" : `  ${formatBytes(size)}`}`;
  const text = isSaved ? about : `Would write ${about}; nothing was downloaded`;
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
