import { randomUUID } from "node:crypto";
import { readdir, stat, truncate, utimes } from "node:fs/promises";
import { uptime } from "node:os";
import { dirname, join } from "node:path";
import { linkExclusively, removeFile, renameTemporary, replaceFile, writeTemporary } from "./durable-files.ts";
import { createStampedReader, readRegular, readStamp, tryJson } from "./small-files.ts";
import { getBootId, getHostId, getOwnStartTime, isDead, UNKNOWN_START } from "./temporary-file.ts";

/** How often an owner shows that it is alive, in milliseconds. */
const HEARTBEAT_MS = 5_000;

/** How old the last heartbeat of an owner is that counts as dead, if its process cannot be checked. */
const MAX_SILENCE_MS = 60_000;

/** The same where the system does not report when processes started: another process may have the id of a dead owner. */
const MAX_UNPROVED_SILENCE_MS = 10 * MAX_SILENCE_MS;

const LOCK_OF_ENTRY = /^([0-9a-f]{32})\.lock\./;

/** How the name of a lock file ends. Other programs leave files with other names, such as copies. */
const NUMBER = /^[1-9]\d{0,14}$/;

/** What a lock file says about its owner. */
export interface LockOwner {
  /** Random: of two locks with the same number, one of them long removed, only one has it. */
  id: string;
  host: string;
  pid: number;
  /** When the process started; see {@link getStartTime}. */
  start: string;
  /** See {@link getBootId}. */
  boot?: string | undefined;
  isReleased: boolean;
}

/**
 * Decides whether a lock is free, by the age of its owner's last heartbeat or, on the same host, by its process. Where the
 * start of the process is not known, a long silence frees the lock, too.
 */
export function mayTakeOver(
  owner: LockOwner,
  silenceMs: number,
  host: string,
  isEnded: (pid: number, start: string) => boolean,
): boolean {
  if (owner.isReleased) return true;
  if (owner.host !== host) return silenceMs > MAX_SILENCE_MS;
  return isEnded(owner.pid, owner.start) || (owner.start === UNKNOWN_START && silenceMs > MAX_UNPROVED_SILENCE_MS);
}

/** The right of this process to change what a lock protects. */
export type Lock = ReturnType<typeof holdLock>;

/**
 * Takes a lock, unless a living process has it. Lock files are numbered; the highest number is the owner's. A number is
 * created by a hard link, which succeeds for one process only, and numbers never decrease while the protected file
 * exists: so of several processes that see the same free lock one gets it.
 *
 * @param folder - an existing one, for the lock files
 * @param name - of the lock, with which the lock files' names start
 * @returns the lock; `undefined` if another process has it
 */
export async function takeLock(folder: string, name: string): Promise<Lock | undefined> {
  const { locks, taken } = await listLocks(folder, name);
  if (await findHolder(locks)) return undefined;
  const number = taken + 1;
  const own = toLockPath(folder, name, number);
  const written = await writeLock(own);
  if (!(await linkExclusively(written.temporary, own))) return undefined;
  const { locks: now } = await listLocks(folder, name);
  if (now.at(-1)?.number !== number) {
    // A process that saw this lock later was faster.
    await removeFile(own);
    return undefined;
  }
  for (const older of now) if (older.number < number) await removeFile(older.path);
  return holdLock(own, written);
}

/** Takes the lock of a name that nobody else knows yet: of its numbers none exists. */
export async function takeNewLock(folder: string, name: string): Promise<Lock> {
  const own = toLockPath(folder, name, 1);
  const written = await writeLock(own);
  await renameTemporary(written.temporary, own);
  return holdLock(own, written);
}

/** Writes the lock file of this process, which has no number yet: `read` reads it once it has that of `path`. */
async function writeLock(path: string) {
  const own = { host: getHostId(), pid: process.pid, start: getOwnStartTime(), boot: getBootId() };
  const owner: LockOwner = { id: randomUUID(), ...own, isReleased: false };
  const bytes = encode(owner);
  const temporary = await writeTemporary(path, bytes, { durable: false });
  const read = createStampedReader(path, { stamp: await readStamp(temporary), bytes });
  return { temporary, owner, read };
}

/** Shows from now on that this process is alive. */
function holdLock(path: string, { owner, read }: Awaited<ReturnType<typeof writeLock>>) {
  const heartbeat = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => undefined);
  }, HEARTBEAT_MS);
  heartbeat.unref();

  // Another process that takes the lock over removes its file before it changes anything. A file that later gets the
  // same number has another id, and another stamp: it was written when this one had been silent for long.
  async function isHeld(): Promise<boolean> {
    const bytes = await read().catch(() => undefined);
    if (bytes === undefined) {
      // Throws if there is no folder any more.
      await readdir(dirname(path));
      return false;
    }
    const isOwn = parseOwner(bytes)?.id === owner.id;
    // The heartbeat would be that of the process which has this number now.
    if (!isOwn) clearInterval(heartbeat);
    return isOwn;
  }

  return {
    /** Whether no other process has taken it over, as may happen to a process that was suspended on a shared disk. */
    isHeld,
    /** Lets another process take it, unless one has. */
    async release(): Promise<void> {
      clearInterval(heartbeat);
      if (!(await isHeld())) return;
      // Nobody holds a damaged lock, and to damage it takes no space on a full disk.
      await replaceFile(path, encode({ ...owner, isReleased: true }), { durable: false }).catch(() => truncate(path));
    },
    /** Removes all traces, once what it protects is gone; only while it is held. */
    async remove(): Promise<void> {
      clearInterval(heartbeat);
      await removeFile(path);
    },
  };
}

/**
 * Removes the locks of what does not exist: of processes that were killed before they created it, or right after they
 * removed it. `removeRest` removes what is left of it, under its lock.
 */
export async function removeStaleLocks(
  folder: string,
  exists: (name: string) => Promise<boolean>,
  removeRest: (name: string) => Promise<void>,
): Promise<void> {
  const names = (await readdir(folder)).flatMap((file) => LOCK_OF_ENTRY.exec(file)?.[1] ?? []);
  for (const name of new Set(names)) {
    const lock = (await exists(name)) ? undefined : await takeLock(folder, name);
    if (!lock) continue;
    if (await exists(name)) {
      await lock.release();
    } else {
      await removeRest(name);
      await lock.remove();
    }
  }
}

/** Lists which of these names a living process has locked, and describes it. */
export async function listHeldLocks(folder: string, names: readonly string[]): Promise<Map<string, string>> {
  const held = new Map<string, string>();
  for (const name of names) {
    const { locks } = await listLocks(folder, name);
    const holder = await findHolder(locks);
    if (!holder) continue;
    const where = holder.host === getHostId() ? "this machine" : "another machine";
    held.set(name, holder.pid === undefined ? "a process" : `process ${holder.pid} of ${where}`);
  }
  return held;
}

function encode(owner: LockOwner): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify(owner));
}

/** Returns whom a lock file names; `undefined` if it is damaged, or not one. */
function parseOwner(bytes: Uint8Array): LockOwner | undefined {
  const owner = tryJson(bytes) as Partial<LockOwner> | null | undefined;
  return typeof owner?.host === "string" && typeof owner.pid === "number" ? (owner as LockOwner) : undefined;
}

function toLockPath(folder: string, name: string, number: number): string {
  return join(folder, `${name}.lock.${number}`);
}

interface LockFile {
  number: number;
  path: string;
}

/** Lists a name's lock files in order, and the highest number that none can get, as it is taken. */
async function listLocks(folder: string, name: string): Promise<{ locks: LockFile[]; taken: number }> {
  const start = `${name}.lock.`;
  const found = (await readdir(folder, { withFileTypes: true })).flatMap((file) => {
    const number = file.name.startsWith(start) ? file.name.slice(start.length) : "";
    return NUMBER.test(number)
      ? [{ number: Number(number), isFile: file.isFile(), path: join(folder, file.name) }]
      : [];
  });
  const locks = found.filter(({ isFile }) => isFile).sort((a, b) => a.number - b.number);
  return { locks, taken: Math.max(0, ...found.map(({ number }) => number)) };
}

/** Returns the living process that has the last of the lock files, as far as it is known; `undefined` if the lock is free. */
async function findHolder(locks: readonly LockFile[]): Promise<Partial<LockOwner> | undefined> {
  const last = locks.at(-1);
  if (!last) return undefined;
  try {
    const owner = parseOwner(await readRegular(last.path));
    const { mtimeMs } = await stat(last.path);
    const silenceMs = Date.now() - mtimeMs;
    // By the clock only where the system has nothing better: clocks are set, most of all after a boot.
    const boot = getBootId();
    const isKnown = owner?.boot !== undefined && boot !== undefined;
    const isOfEarlierBoot = isKnown ? owner.boot !== boot : silenceMs > uptime() * 1000;
    const isEnded = (pid: number, start: string) => isOfEarlierBoot || isDead(pid, start);
    // A lock file is created whole: nobody holds a damaged one.
    return owner && !mayTakeOver(owner, silenceMs, getHostId(), isEnded) ? owner : undefined;
  } catch {
    // Its owner has just removed it, with what it protected, or it is not ours to read.
    return {};
  }
}
