import { createHash } from "node:crypto";
import { lstat, mkdtemp, readdir, readlink, rm } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";

/** Makes an empty folder in `parent` whose name says which process it belongs to. */
export async function makeOwnedFolder(parent: string, prefix: string): Promise<string> {
  return mkdtemp(join(parent, `${prefix}${process.pid}-${await pidSpace()}-`));
}

/**
 * Removes the folders in `parent` that processes left behind when they were killed. What belongs to a running process,
 * to another user or to another machine or container stays.
 */
export async function removeAbandoned(parent: string, prefix: string): Promise<void> {
  const space = await pidSpace();
  for (const name of await readdir(parent)) {
    const [, pid, foundSpace] =
      /^(\d+)-([0-9a-f]+)-\w{6}$/.exec(name.startsWith(prefix) ? name.slice(prefix.length) : "") ?? [];
    if (foundSpace !== space || isRunning(Number(pid))) continue;
    const path = join(parent, name);
    // another devnet that starts now may have been faster
    if (await isOwn(path)) await rm(path, { recursive: true, force: true }).catch(() => {});
  }
}

/** Names where process ids are unique: containers may share a folder, and do not share those. */
async function pidSpace(): Promise<string> {
  const namespace = await readlink("/proc/self/ns/pid").catch(() => "");
  return createHash("sha256").update(`${hostname()} ${namespace}`).digest("hex").slice(0, 8);
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // any other error is about a process that is there
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}

async function isOwn(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  return found?.isDirectory() === true && found.uid === (process.getuid?.() ?? found.uid);
}
