import { readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { invalidDevnetOption } from "../check-options.ts";
import { getPidNamespace, isRunning } from "../owned-folder.ts";

/** How often the owner of a folder shows that it is alive, and how long it may be silent, in milliseconds. */
const HEARTBEAT_MS = 1_000;
const MAX_SILENCE_MS = 5_000;

/** The files of locks; the one with the highest number is the owner's. */
export const LOCK = /^lock\.([1-9]\d{0,8})$/;

/**
 * Takes a folder, which exists, for this devnet alone. The returned function releases it; so does the end of the process.
 *
 * @throws DevnetError `INVALID_OPTION` if another devnet has it.
 */
export async function takeFolder(dir: string): Promise<() => Promise<void>> {
  const before = await listLocks(dir);
  const last = before.at(-1) ?? 0;
  if (last > 0 && (await isHeld(toPath(dir, last)))) throw inUse(dir);
  const own = last + 1;
  const path = toPath(dir, own);
  const owner = JSON.stringify({ pid: process.pid, space: await getPidNamespace() });
  try {
    await writeFile(path, owner, { flag: "wx", mode: 0o600 });
  } catch (cause) {
    throw (cause as NodeJS.ErrnoException).code === "EEXIST" ? inUse(dir) : cause;
  }
  const now = await listLocks(dir);
  if (now.some((number) => number !== own && !before.includes(number))) {
    // another devnet takes it at the same time
    await rm(path, { force: true });
    throw inUse(dir);
  }
  for (const number of before) await rm(toPath(dir, number), { force: true });

  const heartbeat = setInterval(() => {
    const time = new Date();
    utimes(path, time, time).catch(() => {});
  }, HEARTBEAT_MS);
  heartbeat.unref();
  return async () => {
    clearInterval(heartbeat);
    await rm(path, { force: true });
  };
}

const toPath = (dir: string, number: number) => join(dir, `lock.${number}`);

function inUse(dir: string): Error {
  return invalidDevnetOption(`Invalid option dataDir: another devnet uses ${dir}`, { dir });
}

async function listLocks(dir: string): Promise<number[]> {
  const numbers = (await readdir(dir)).map((name) => Number(LOCK.exec(name)?.[1] ?? 0));
  return numbers.filter((number) => number > 0).sort((a, b) => a - b);
}

/**
 * Finds out whether the owner of a lock is alive. The process id alone cannot tell where it is used again, or is that of a
 * process in another container: then the lock is watched for a sign of life.
 */
async function isHeld(path: string): Promise<boolean> {
  const { pid, space } = await readOwner(path);
  if (space === (await getPidNamespace()) && !isRunning(Number(pid))) return false;
  const first = await getTime(path);
  for (let waited = 0; waited < MAX_SILENCE_MS; waited += HEARTBEAT_MS / 4) {
    await setTimeout(HEARTBEAT_MS / 4);
    const time = await getTime(path);
    if (time === undefined) return false;
    if (time !== first) return true;
  }
  return false;
}

/** Returns when a file was changed last; `undefined` if it is gone. */
const getTime = (path: string) =>
  stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => undefined,
  );

/** Reads what a lock file says; nothing, if it is damaged or being written. */
async function readOwner(path: string): Promise<{ pid?: unknown; space?: unknown }> {
  try {
    return Object(JSON.parse(await readFile(path, "utf8")));
  } catch {
    return {};
  }
}
