import { createHash } from "node:crypto";
import { lstat, mkdtemp, readdir, readlink, rm } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";

/** Creates an empty folder in `parent` whose name identifies the process that owns it. */
export async function makeOwnedFolder(parent: string, prefix: string): Promise<string> {
  return mkdtemp(join(parent, `${prefix}${process.pid}-${await getPidNamespace()}-`));
}

/**
 * Removes the folders in `parent` that killed processes left behind. Folders of a running process, another user, or
 * another machine or container stay.
 */
export async function removeAbandoned(parent: string, prefix: string): Promise<void> {
  const space = await getPidNamespace();
  for (const name of await readdir(parent)) {
    const [, pid, foundSpace] =
      /^(\d+)-([0-9a-f]+)-\w{6}$/.exec(name.startsWith(prefix) ? name.slice(prefix.length) : "") ?? [];
    if (foundSpace !== space || isRunning(Number(pid))) continue;
    const path = join(parent, name);
    // another devnet may be removing it at the same time
    if (await isOwn(path)) await rm(path, { recursive: true, force: true }).catch(() => {});
  }
}

/** Identifies the namespace of process ids: containers may share a folder, but not those. */
async function getPidNamespace(): Promise<string> {
  const namespace = await readlink("/proc/self/ns/pid").catch(() => "");
  return createHash("sha256").update(`${hostname()} ${namespace}`).digest("hex").slice(0, 8);
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // any other error is about an existing process
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}

async function isOwn(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  return found?.isDirectory() === true && found.uid === (process.getuid?.() ?? found.uid);
}
