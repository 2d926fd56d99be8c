import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { lstat, mkdtemp, readdir, readlink, rm } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join, resolve } from "node:path";

const PREFIX = "keeplight-devnet-";

/** Waits for standard input to end, which happens however the process that owns the folder ends. */
const KEEPER = 'read -r _; rm -rf -- "$1"';

/**
 * Creates an empty folder among the system's temporary ones, which is removed at the end of its process at the latest, and
 * removes those of killed processes.
 */
export async function makeTemporaryFolder() {
  const parent = resolve(tmpdir());
  await removeAbandoned(parent, PREFIX);
  const path = await makeOwnedFolder(parent, PREFIX);
  const endKeeper = startKeeper(path);
  return {
    path,
    async remove(): Promise<void> {
      await rm(path, { recursive: true, force: true });
      await endKeeper();
    },
  };
}

/**
 * Starts a small process that removes the folder when this process ends. A signal listener could not: it would suppress
 * the signal's default effect, and could not know whether other listeners are going to end the process. The keeper runs
 * in its own session, so that a terminal's Ctrl-C does not reach it. Without a shell, the next devnet removes the folder.
 */
function startKeeper(path: string): () => Promise<void> {
  const keeper = spawn("/bin/sh", ["-c", KEEPER, "sh", path], {
    detached: true,
    cwd: "/",
    stdio: ["pipe", "ignore", "ignore"],
  });
  const ended = once(keeper, "close").catch(() => {});
  keeper.stdin.on("error", () => {});
  keeper.unref();
  return async () => {
    keeper.ref();
    keeper.stdin.end();
    await ended;
  };
}

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
export async function getPidNamespace(): Promise<string> {
  const namespace = await readlink("/proc/self/ns/pid").catch(() => "");
  return createHash("sha256").update(`${hostname()} ${namespace}`).digest("hex").slice(0, 8);
}

export function isRunning(pid: number): boolean {
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
