import { mkdir, rename, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { openJournal } from "../../src/index.ts";
import { getEntries } from "../../src/journal/handle.ts";
import { takeLock } from "../../src/platform/node/journal-lock.ts";
import { scratch } from "../support/files.ts";

/** What the next hard link waits for. */
const link = vi.hoisted(() => ({ gate: undefined as (() => Promise<void>) | undefined }));

vi.mock("node:fs/promises", async (original) => {
  const real = await original<typeof import("node:fs/promises")>();
  const gated: typeof real.link = async (from, to) => {
    const { gate } = link;
    link.gate = undefined;
    await gate?.();
    await real.link(from, to);
  };
  return { ...real, link: gated };
});

test("a number that is free again, as its lock was taken over twice, is nobody's lock", async () => {
  const folder = await scratch();
  await (await takeLock(folder, "a"))?.release();
  let later: Awaited<ReturnType<typeof takeLock>>;
  // While a slow process is about to take number 2, others take and release it, and then have number 3.
  link.gate = async () => {
    await (await takeLock(folder, "a"))?.release();
    later = await takeLock(folder, "a");
  };
  expect(await takeLock(folder, "a")).toBeUndefined();
  expect(await later?.isHeld()).toBe(true);
});

test("an entry that cannot be read right after it was locked is not locked for good", async () => {
  const folder = await scratch();
  const journal = await openJournal({ folder });
  const { start } = getEntries(journal);
  const entry = await start("save", { nodesDone: [] });
  await entry.release();
  const path = join(folder, `${entry.id}.entry`);
  // What cannot be opened for a moment, as on a network file system, or by a process with too many open files.
  link.gate = async () => {
    await rename(path, `${path}.away`);
    await mkdir(path);
  };
  await expect(journal.discard(entry.id)).rejects.toMatchObject({ code: "SOURCE_UNREADABLE" });
  await rmdir(path);
  await rename(`${path}.away`, path);
  expect(await journal.list()).toEqual([expect.not.objectContaining({ worker: expect.anything() })]);
  await journal.discard(entry.id);
  expect(await journal.list()).toEqual([]);
});
