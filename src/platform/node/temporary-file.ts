import { createHash, randomBytes } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { open, readdir, unlink } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";

/**
 * Creates a temporary file that only this user may read and whose name identifies its process, and removes those in the
 * same folder whose process is dead; `tidied` resolves once that is done. Files of processes that cannot be checked stay:
 * those of another machine that shares the folder, or of another container.
 */
export async function openTemporary(folder: string) {
  const path = createTemporaryPath(folder);
  const handle = await open(path, "wx+", 0o600);
  return { path, handle, tidied: removeLeftOver(folder) };
}

/** Returns a new path in a folder, under which a file is removed once this process is dead. */
export function createTemporaryPath(folder: string): string {
  const random = randomBytes(8).toString("hex");
  return join(folder, `.keeplight-${getHostId()}-${process.pid}-${getOwnStartTime()}-${random}.part`);
}

const NAME = /^\.keeplight-([0-9a-f]{12})-(\d+)-(\d+)-[0-9a-f]{16}\.part$/;

/** Whether a name is that of a temporary file, of any process. */
export function isTemporary(name: string): boolean {
  return NAME.test(name);
}

/** Removes the temporary files of dead processes in a folder, as far as it can. */
export async function removeLeftOver(folder: string): Promise<void> {
  // A folder may be writable but not readable.
  const names = await readdir(folder).catch(() => []);
  for (const name of names) {
    const [, origin, pid = "", start = ""] = NAME.exec(name) ?? [];
    if (origin === getHostId() && isDead(Number(pid), start)) await unlink(join(folder, name)).catch(() => undefined);
  }
}

let cachedHost: string | undefined;
let cachedStart: string | undefined;
let cachedBoot: string | undefined;

/** Identifies the namespace of process ids: this machine, and on Linux this container. */
export function getHostId(): string {
  cachedHost ??= createHash("sha256")
    .update(`${hostname()} ${readOnLinux(() => readlinkSync("/proc/self/ns/pid"))}`)
    // Machines may share a name, and the first namespace of each has the same number.
    .update(readOnLinux(() => readFileSync("/etc/machine-id", "latin1")) ?? "")
    .digest("hex")
    .slice(0, 12);
  return cachedHost;
}

/** Whether a process of this host has ended. */
export function isDead(pid: number, start: string): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // A process of another user refuses the signal: it is alive.
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return true;
  }
  return (getStartTime(pid) ?? start) !== start;
}

/** Stands for when a process started, if the system does not report it. */
export const UNKNOWN_START = "0";

/** When this process started, if the system reports it. See {@link getStartTime}. */
export function getOwnStartTime(): string {
  cachedStart ??= getStartTime(process.pid) ?? UNKNOWN_START;
  return cachedStart;
}

/** Identifies the boot of this machine: a process id and a start may be those of another process after the next one. Linux only. */
export function getBootId(): string | undefined {
  cachedBoot ??= readOnLinux(() => readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim());
  return cachedBoot;
}

/** Reads when a process started, in ticks since boot, if the system reports it; empty once it has ended. */
export function getStartTime(pid: number): string | undefined {
  const stat = readOnLinux(() => readFileSync(`/proc/${pid}/stat`, "latin1"));
  // The second field is the command in brackets, which may contain anything; the third is the state, the twenty-second
  // the start. A process with the same id and a later start is another one.
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
  // A zombie keeps its id until its parent reads its exit status, which some never do.
  return fields?.[0] === "Z" ? "" : fields?.[19];
}

function readOnLinux<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
