import { createHash } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

let cachedHost: string | undefined;
let cachedStart: string | undefined;

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

/** When this process started; `0` if the system does not report it. See {@link getStartTime}. */
export function getOwnStartTime(): string {
  cachedStart ??= getStartTime(process.pid) ?? "0";
  return cachedStart;
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
