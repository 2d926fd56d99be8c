import { expect, test } from "vitest";
import type { DriveEntry } from "../src/index.ts";
import { drivesForTests } from "./drive-for-tests.ts";
import { createRandom, randomCid } from "./random-states.ts";

const { createAccount, devnet } = drivesForTests();

const MANY = 2_000;

/** A drive with files in folder `From`, and an empty folder `To`. */
async function createFilled(count: number) {
  const { drive } = await (await createAccount()).open();
  await drive.createFolder("From");
  await drive.createFolder("To");
  const random = createRandom(count);
  const files = Array.from({ length: count }, (_, at) => ({ cid: randomCid(random), name: `${at}.txt` }));
  const entries = await drive.adopt(files.map((file) => ({ ...file, folder: "From" })));
  /** Counts the changes that a call makes: what is stored meanwhile is reported, too, and changes no list. */
  const countChanges = async (call: () => Promise<unknown>) => {
    const look = () => [drive.list("From"), drive.list("To"), drive.listTrash()].map((list) => paths(list)).join();
    let last = look();
    let count = 0;
    const unsubscribe = drive.subscribe(() => {
      const now = look();
      if (now !== last) count++;
      last = now;
    });
    await call();
    unsubscribe();
    return count;
  };
  return { drive, entries, countChanges };
}

const paths = (entries: readonly DriveEntry[]) => entries.map(({ path }) => path);

test("thousands of entries are moved, put in the trash and restored by one change each", async () => {
  const { drive, entries, countChanges } = await createFilled(MANY);
  expect(await countChanges(() => drive.move(entries, "To"))).toBe(1);
  expect(drive.list("To")).toHaveLength(MANY);
  expect(await countChanges(() => drive.trash(entries))).toBe(1);
  expect(drive.listTrash()).toHaveLength(MANY);
  expect(await countChanges(() => drive.restore(entries))).toBe(1);
  expect(drive.list("To")).toHaveLength(MANY);
});

test("thousands of entries are deleted for good by about as many requests as one", async () => {
  const { drive, entries } = await createFilled(MANY);
  await drive.trash(entries);
  await drive.sync();
  const [first, ...others] = entries;
  const countRequests = async (removed: Parameters<typeof drive.remove>[0]) => {
    const before = devnet().requests().length;
    await drive.remove(removed);
    return devnet().requests().length - before;
  };
  const ofOne = await countRequests(first as DriveEntry);
  // A slow response may cost a request more.
  expect(await countRequests(others)).toBeLessThan(2 * ofOne);
  expect(drive.listTrash()).toEqual([]);
});

test("a list returns a list, in its order, and an empty one changes nothing", async () => {
  const { drive, countChanges } = await createFilled(3);
  expect(paths(await drive.move(["From/2.txt", "From/0.txt"], "To"))).toEqual(["To/2.txt", "To/0.txt"]);
  expect(await drive.trash("To/0.txt")).toMatchObject({ path: "To/0.txt", trashed: true });
  const nothing = async () => {
    expect(await drive.move([], "To")).toEqual([]);
    expect(await drive.trash([])).toEqual([]);
    expect(await drive.restore([])).toEqual([]);
    await drive.remove([]);
  };
  expect(await countChanges(nothing)).toBe(0);
});

test("nothing is moved if a name is taken, or two entries have one; the error has the path", async () => {
  const { drive, entries, countChanges } = await createFilled(3);
  const [, middle] = entries as [DriveEntry, DriveEntry, DriveEntry];
  await drive.move(middle, "To");
  await drive.createFolder("From/1.txt");
  const all = drive.list("From");
  const taken = { code: "DUPLICATE_NAME", details: { name: "From/1.txt", first: "To/1.txt" } };
  expect(await countChanges(() => expect(drive.move(all, "To")).rejects.toMatchObject(taken))).toBe(0);
  const both = ["To/1.txt", "From/1.txt"];
  await expect(drive.move(both, "")).rejects.toMatchObject({ code: "DUPLICATE_NAME", details: { name: "From/1.txt" } });
  await expect(drive.move(["From/0.txt", "To"], "To")).rejects.toMatchObject({ code: "INVALID_OPTION" });
  expect(paths(drive.search(".txt"))).toEqual(["From/0.txt", "From/1.txt", "From/2.txt", "To/1.txt"]);
});

test("nothing is deleted if one of a list is not in the trash, and a version is one of a single file", async () => {
  const { drive } = await createFilled(2);
  const trashed = await drive.trash("From/0.txt");
  const kept = drive.find("From/1.txt") as DriveEntry;
  const refused = { code: "INVALID_OPTION", message: expect.stringContaining("From/1.txt") };
  await expect(drive.remove([trashed, kept])).rejects.toMatchObject(refused);
  expect(paths(drive.listTrash())).toEqual(["From/0.txt"]);
  const restore = drive.restore as (entries: unknown, options: object) => Promise<unknown>;
  await expect(restore([kept], { version: "bafk" })).rejects.toMatchObject({ code: "INVALID_OPTION" });
});

test("what was in a folder is in it again if both are restored by one call", async () => {
  const { drive } = await createFilled(2);
  const file = await drive.trash("From/0.txt");
  const folder = await drive.trash("From");
  await drive.restore([file, folder]);
  expect(paths(drive.list("From"))).toEqual(["From/0.txt", "From/1.txt"]);
});
