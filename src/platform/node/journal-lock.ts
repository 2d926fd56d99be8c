import { randomUUID } from "node:crypto";
import { readdir, readFile, stat, utimes } from "node:fs/promises";
import { uptime } from "node:os";
import { join } from "node:path";
import { createExclusively, removeFile, replaceFile } from "./journal-files.ts";
import { getHostId, getStartTime, isDead } from "./process-identity.ts";

/** How often an owner shows that it is alive, in milliseconds. */
const HEARTBEAT_MS = 5_000;

/** How old the last heartbeat of an owner is that counts as dead, if its process cannot be checked. */
const MAX_SILENCE_MS = 60_000;

const LOCK_OF_ENTRY = /^([0-9a-f]{32})\.lock\.\d+$/;

/** What a lock file says about its owner. */
export interface LockOwner {
  /** Random: of two locks with the same number, one of them long removed, only one has it. */
  id: string;
  host: string;
  pid: number;
  /** When the process started; see {@link getStartTime}. */
  start: string;
  isReleased: boolean;
}

/**
 * Decides whether a lock is free.
 *
 * @param silenceMs - age of the owner's last heartbeat
 * @param isEnded - whether a process of this host has ended
 */
export function mayTakeOver(
  owner: LockOwner,
  silenceMs: number,
  host: string,
  isEnded: (pid: number, start: string) => boolean,
): boolean {
  if (owner.isReleased) return true;
  return owner.host === host ? isEnded(owner.pid, owner.start) : silenceMs > MAX_SILENCE_MS;
}

/** The right of this process to change what a lock protects. */
export interface Lock {
  /** Whether no other process has taken it over, as may happen to a process that was suspended on a shared disk. */
  isHeld(): Promise<boolean>;
  /** Lets another process take it. */
  release(): Promise<void>;
  /** Removes all traces, once what it protects is gone. */
  remove(): Promise<void>;
}

/**
 * Takes a lock, unless a living process has it. Lock files are numbered; the highest number is the owner's. A number is
 * created by a hard link, which succeeds for one process only, and numbers never decrease while the protected file
 * exists: so of several processes that see the same free lock one gets it.
 */
export async function takeLock(folder: string, name: string): Promise<Lock | undefined> {
  const pathOf = (number: number) => join(folder, `${name}.lock.${number}`);
  const listNumbers = () => listLockNumbers(folder, name);

  const highest = (await listNumbers()).at(-1);
  if (highest !== undefined && !(await isFree(pathOf(highest)))) return undefined;
  const number = (highest ?? 0) + 1;
  const own = pathOf(number);
  const owner = describeOwner();
  if (!(await createExclusively(own, encode(owner), { durable: false }))) return undefined;
  const numbers = await listNumbers();
  if (numbers.at(-1) !== number) {
    // A process that saw this lock later was faster.
    await removeFile(own);
    return undefined;
  }
  for (const older of numbers) if (older < number) await removeFile(pathOf(older));

  const heartbeat = setInterval(() => {
    const now = new Date();
    utimes(own, now, now).catch(() => undefined);
  }, HEARTBEAT_MS);
  heartbeat.unref();
  return {
    async isHeld() {
      // Another process that takes it over removes it. Throws if the folder is missing.
      const isMissing = () => listNumbers().then(() => undefined);
      return (await readOwner(own).catch(isMissing))?.id === owner.id;
    },
    async release() {
      clearInterval(heartbeat);
      await replaceFile(own, encode({ ...owner, isReleased: true }), { durable: false });
    },
    async remove() {
      clearInterval(heartbeat);
      await removeFile(own);
    },
  };
}

/**
 * Removes the locks of what does not exist: of processes that were killed before they created it, or right after they
 * removed it.
 *
 * @param exists - whether what a lock protects exists
 */
export async function removeStaleLocks(folder: string, exists: (name: string) => Promise<boolean>): Promise<void> {
  const names = (await readdir(folder)).flatMap((file) => LOCK_OF_ENTRY.exec(file)?.[1] ?? []);
  for (const name of new Set(names)) {
    const lock = (await exists(name)) ? undefined : await takeLock(folder, name);
    if (lock) await ((await exists(name)) ? lock.release() : lock.remove());
  }
}

function describeOwner(): LockOwner {
  const start = getStartTime(process.pid) ?? "0";
  return { id: randomUUID(), host: getHostId(), pid: process.pid, start, isReleased: false };
}

function encode(owner: LockOwner): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(owner));
}

/** Reads a lock file; `undefined` if it is damaged, or not one. Throws the error of the system. */
async function readOwner(path: string): Promise<LockOwner | undefined> {
  const text = await readFile(path, "utf8");
  try {
    const owner = JSON.parse(text) as Partial<LockOwner> | null;
    return typeof owner?.host === "string" && typeof owner.pid === "number" ? (owner as LockOwner) : undefined;
  } catch {
    return undefined;
  }
}

async function listLockNumbers(folder: string, name: string): Promise<number[]> {
  const start = `${name}.lock.`;
  const names = (await readdir(folder)).filter((file) => file.startsWith(start));
  return names.map((file) => Number(file.slice(start.length))).sort((a, b) => a - b);
}

async function isFree(path: string): Promise<boolean> {
  try {
    const owner = await readOwner(path);
    const { mtimeMs } = await stat(path);
    // A lock file is created whole: nobody holds a damaged one.
    if (!owner) return true;
    const silenceMs = Date.now() - mtimeMs;
    const isOfEarlierBoot = silenceMs > uptime() * 1000;
    return mayTakeOver(owner, silenceMs, getHostId(), (pid, start) => isOfEarlierBoot || isDead(pid, start));
  } catch {
    // Its owner has just removed it, with what it protected, or it is not ours to read.
    return false;
  }
}
