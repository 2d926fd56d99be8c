import { expect, test } from "vitest";
import type { DriveEntry, DriveFile } from "../src/index.ts";
import { drivesForTests } from "./drive-for-tests.ts";

const { createAccount } = drivesForTests();

test("what another device has moved out of a folder stays when the folder is deleted for good", async () => {
  const account = await createAccount();
  const one = (await account.open()).drive;
  await one.add(new File(["letter"], "letter.txt"), { folder: "Letters" });
  await one.trash("Letters");
  await one.sync();
  const other = (await account.open()).drive;
  const [letters] = other.listTrash() as [DriveEntry];
  await one.restore(letters);
  await one.move("Letters/letter.txt", "");
  await one.trash("Letters");
  await one.sync();
  await other.remove(letters);
  await one.sync();
  expect(one.list().map(({ path }) => path)).toEqual(["letter.txt"]);
  expect(one.listTrash()).toEqual([]);
});

test("what another device has restored stays, although this one has not read that yet", async () => {
  const account = await createAccount();
  const one = (await account.open()).drive;
  await one.add(new File(["letter"], "letter.txt"));
  await one.trash("letter.txt");
  await one.sync();
  const other = (await account.open()).drive;
  const [letter] = other.listTrash() as [DriveEntry];
  await one.restore(letter);
  await one.sync();
  await expect(other.remove(letter)).rejects.toMatchObject({ code: "INVALID_OPTION" });
  await one.sync();
  expect(one.list().map(({ path }) => path)).toEqual(["letter.txt"]);
});

test("what another device has added stays, although this one has not read that yet: files, and versions of files", async () => {
  const account = await createAccount();
  const one = (await account.open()).drive;
  for (const text of ["letter", "plan"]) await one.add(new File([text], `${text}.txt`), { folder: "Letters" });
  await one.sync();
  const other = (await account.open()).drive;
  const letters = await other.trash("Letters");
  for (const name of ["new.txt", "plan.txt"]) await one.add(new File(["added"], name), { folder: "Letters" });
  await one.sync();
  await other.remove(letters);
  await one.sync();
  for (const drive of [one, other]) {
    expect(drive.list().map(({ path }) => path)).toEqual(["new.txt", "plan.txt"]);
    expect(drive.versions("plan.txt")).toHaveLength(1);
    expect(drive.listTrash()).toEqual([]);
    for (const file of drive.list()) {
      const { cid } = file as DriveFile;
      expect(new TextDecoder().decode(await account.kit.decrypt(cid))).toBe("added");
    }
  }
});
