import { createHash, randomBytes } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { type FileHandle, open, readdir, unlink } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";

/** A file that only this user may read, to be renamed or removed. */
export interface TemporaryFile {
  path: string;
  /** For writing and reading. */
  handle: FileHandle;
  /** Resolves once what dead processes have left in the folder is removed. */
  tidied: Promise<void>;
}

/**
 * Creates a temporary file whose name says which process uses it, and removes those in the same folder whose process
 * is dead. Files of processes that cannot be told to be dead stay: those of another machine that shares the folder, or
 * of another container.
 */
export async function openTemporary(folder: string): Promise<TemporaryFile> {
  const random = randomBytes(8).toString("hex");
  const path = join(folder, `.keeplight-${place()}-${process.pid}-${getStartTime(process.pid) ?? 0}-${random}.part`);
  const handle = await open(path, "wx+", 0o600);
  return { path, handle, tidied: removeLeftOver(folder) };
}

const NAME = /^\.keeplight-([0-9a-f]{12})-(\d+)-(\d+)-[0-9a-f]{16}\.part$/;

let known: string | undefined;

/** Where process ids mean the same: this machine, and on Linux this container. */
function place(): string {
  known ??= createHash("sha256")
    .update(`${hostname()} ${whereLinux(() => readlinkSync("/proc/self/ns/pid"))}`)
    .digest("hex")
    .slice(0, 12);
  return known;
}

async function removeLeftOver(folder: string): Promise<void> {
  // A folder may allow to write and not to list.
  const names = await readdir(folder).catch(() => []);
  for (const name of names) {
    const [, origin, pid = "", start = ""] = NAME.exec(name) ?? [];
    if (origin === place() && isDead(Number(pid), start)) await unlink(join(folder, name)).catch(() => undefined);
  }
}

function isDead(pid: number, start: string): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // Another user's process refuses the signal; it lives.
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return true;
  }
  return (getStartTime(pid) ?? start) !== start;
}

/** When a process started, in ticks since the machine did, where the system tells; empty once it has ended. */
function getStartTime(pid: number): string | undefined {
  const stat = whereLinux(() => readFileSync(`/proc/${pid}/stat`, "latin1"));
  // The second field is the command in brackets, which may hold anything; the third is the state, the twenty-second
  // the start. A process of that id that starts later is another one.
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
  // It keeps its id until its parent asks how it ended, which some never do.
  return fields?.[0] === "Z" ? "" : fields?.[19];
}

function whereLinux<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
