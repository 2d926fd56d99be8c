import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, rename, unlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type LockOwner, mayTakeOver, takeLock, takeNewLock } from "../../src/platform/node/journal-lock.ts";
import { getHostId } from "../../src/platform/node/temporary-file.ts";
import { scratch } from "../support/files.ts";

const owner: LockOwner = { id: "other", host: "here", pid: 7, start: "1", isReleased: false };
/** Of a system that does not report when processes started. */
const unproved: LockOwner = { ...owner, start: "0" };
const isNever: (pid: number) => boolean = () => false;

test.each([
  ["released", { ...owner, isReleased: true }, 0, isNever, true],
  ["of a living process of this host, however silent", owner, 1e9, isNever, false],
  ["of a process of this host that may be another one since, silent for long", unproved, 601_000, isNever, true],
  ["of a process of this host that may be another one since", unproved, 1_000, isNever, false],
  ["of a dead process of this host", owner, 0, () => true, true],
  ["of another host that shows signs of life", { ...owner, host: "there" }, 59_000, isNever, false],
  ["of another host that is silent", { ...owner, host: "there" }, 61_000, isNever, true],
] satisfies [string, LockOwner, number, (pid: number) => boolean, boolean][])(
  "a lock %s: may it be taken over?",
  (_, lock, silenceMs, isEnded, expected) => {
    expect(mayTakeOver(lock, silenceMs, "here", isEnded)).toBe(expected);
  },
);

test("one of many takers gets a free lock, also one that was released", async () => {
  const folder = await scratch();
  for (let round = 0; round < 5; round++) {
    const taken = await Promise.all(Array.from({ length: 20 }, () => takeLock(folder, "a")));
    const [lock, ...others] = taken.filter((one) => one !== undefined);
    expect([lock !== undefined, others.length]).toEqual([true, 0]);
    expect(await lock?.isHeld()).toBe(true);
    await lock?.release();
  }
  const last = await takeLock(folder, "a");
  await last?.remove();
  expect(await readdir(folder)).toEqual([]);
});

test("the lock of a dead process is taken over by one of many", async () => {
  const folder = await scratch();
  const child = spawn(process.execPath, ["-e", ""]);
  await once(child, "exit");
  const dead = { host: getHostId(), pid: child.pid, start: "1", isReleased: false };
  await writeFile(join(folder, "a.lock.3"), JSON.stringify(dead));
  const taken = await Promise.all(Array.from({ length: 20 }, () => takeLock(folder, "a")));
  expect(taken.filter((lock) => lock !== undefined)).toHaveLength(1);
  expect(await readdir(folder)).toEqual(["a.lock.4"]);
});

test("a lock that was taken over is no longer held, even if its number is used once more", async () => {
  const folder = await scratch();
  const lock = await takeLock(folder, "a");
  const there = JSON.stringify({ ...owner, host: "there" });
  await writeFile(join(folder, "a.lock.2"), there);
  await unlink(join(folder, "a.lock.1"));
  expect(await lock?.isHeld()).toBe(false);
  expect(await takeLock(folder, "a")).toBeUndefined();
  await unlink(join(folder, "a.lock.2"));
  await writeFile(join(folder, "a.lock.1"), there);
  expect(await lock?.isHeld()).toBe(false);
  expect(await takeLock(folder, "a")).toBeUndefined();
});

test("a lock stays held when its heartbeat, or a backup, touches its file", async () => {
  const folder = await scratch();
  for (const lock of [await takeNewLock(folder, "a"), await takeLock(folder, "b")]) {
    expect(await lock?.isHeld()).toBe(true);
    for (const name of await readdir(folder)) await utimes(join(folder, name), new Date(), new Date());
    expect(await lock?.isHeld()).toBe(true);
    await lock?.remove();
  }
  expect(await readdir(folder)).toEqual([]);
});

test.skipIf(process.platform !== "linux")("a clock that is set takes no lock away; another boot does", async () => {
  const folder = await scratch();
  const lock = await takeLock(folder, "a");
  const path = join(folder, "a.lock.1");
  // As after a boot without a clock: the time of the last heartbeat is before that of the boot.
  await utimes(path, 0, 0);
  expect(await takeLock(folder, "a")).toBeUndefined();
  expect(await lock?.isHeld()).toBe(true);
  const earlier = { ...JSON.parse(await readFile(path, "utf8")), boot: "another" };
  await writeFile(path, JSON.stringify(earlier));
  expect(await takeLock(folder, "a")).toBeDefined();
});

test("a lock is no longer held once another file has its name, though it has the same size", async () => {
  const folder = await scratch();
  const [lock, path] = [await takeNewLock(folder, "a"), join(folder, "a.lock.1")];
  expect(await lock.isHeld()).toBe(true);
  const text = await readFile(path, "utf8");
  const { id } = JSON.parse(text) as LockOwner;
  await writeFile(join(folder, "other"), text.replace(id, [...id].reverse().join("")));
  await rename(join(folder, "other"), path);
  expect(await lock.isHeld()).toBe(false);
});

test("who has lost a lock neither releases nor removes that of its successor, even one with the same number", async () => {
  const folder = await scratch();
  const lock = await takeLock(folder, "a");
  const successor = JSON.stringify({ ...owner, host: "there" });
  await unlink(join(folder, "a.lock.1"));
  await writeFile(join(folder, "a.lock.1"), successor);
  await lock?.release();
  expect(await readFile(join(folder, "a.lock.1"), "utf8")).toBe(successor);
  await unlink(join(folder, "a.lock.1"));
  await lock?.release();
  expect(await readdir(folder)).toEqual([]);
});

test("the lock of a new name keeps others out until it is released", async () => {
  const folder = await scratch();
  const lock = await takeNewLock(folder, "a");
  expect(await takeLock(folder, "a")).toBeUndefined();
  await lock.release();
  const next = await takeLock(folder, "a");
  expect([await lock.isHeld(), await next?.isHeld()]).toEqual([false, true]);
  expect(await readdir(folder)).toEqual(["a.lock.2"]);
});

test.each(["", "null", "7", "{}", '{"host":"here","pid":'])(
  "a lock file that contains %j is nobody's",
  async (text) => {
    const folder = await scratch();
    await writeFile(join(folder, "a.lock.1"), text);
    const lock = await takeLock(folder, "a");
    expect(await lock?.isHeld()).toBe(true);
    await lock?.remove();
    expect(await readdir(folder)).toEqual([]);
  },
);
