import { lstat } from "node:fs/promises";
import { stdout } from "node:process";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { SavedFile } from "keeplight";
import type { Invocation } from "../frame/invocation.ts";
import { UsageError } from "../frame/usage-error.ts";
import { formatBytes } from "../output/format.ts";
import { toFileName } from "./file-names.ts";

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
