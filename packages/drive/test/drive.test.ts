import { expect, test } from "vitest";
import { scratch } from "../../../test/support/files.ts";
import { bytes, drivesForTests } from "./drive-for-tests.ts";

const { createAccount } = drivesForTests();

const paths = (entries: readonly { path: string }[]) => entries.map(({ path }) => path);

test("files and folders are added, moved, renamed and found again on another device", async () => {
  const account = await createAccount();
  const { drive } = await account.open();
  await drive.createFolder("Photos/2026");
  const [file] = await drive.add(new File([bytes("sun")], "summer.jpg"), { folder: "Photos/2026" });
  expect(file).toMatchObject({ type: "file", path: "Photos/2026/summer.jpg", size: 3, mimeType: "image/jpeg" });
  await drive.rename("Photos/2026/summer.jpg", "beach.jpg");
  await drive.move("Photos/2026/beach.jpg", "Photos");
  expect(paths(drive.list("Photos"))).toEqual(["Photos/2026", "Photos/beach.jpg"]);
  await drive.close();

  const { drive: other } = await account.open();
  expect(paths(other.search("e"))).toEqual(["Photos/beach.jpg"]);
  const found = other.find("Photos/beach.jpg");
  if (found?.type !== "file") throw new Error("not found");
  const { own } = account;
  const { commitment, chunkProfile } = found;
  expect(await account.kit.decrypt(found.cid, { ...own, commitment, chunkProfile })).toEqual(bytes("sun"));
  expect(await other.listLoose()).toEqual([]);
  await other.close();
});

test("a drive that its journal knows opens without a signature and without a network", async () => {
  const account = await createAccount();
  const folder = await scratch();
  const { drive } = await account.open(folder);
  await drive.createFolder("Letters");
  await drive.close();
  const signer = { getAddress: async () => drive.account, signMessage: () => Promise.reject(new Error("no")) };
  const { drive: again } = await account.open(folder, { signer });
  expect(paths(again.list())).toEqual(["Letters"]);
  expect(again.status()).toMatchObject({ unsaved: false, problems: [] });
  await again.close();
  const dead = "http://127.0.0.1:9";
  const endpoints = { api: dead, upload: dead, gateway: dead, keyNodes: dead };
  const { drive: offline } = await account.open(folder, { endpoints });
  expect(paths(offline.list())).toEqual(["Letters"]);
  expect(offline.status().error).toMatchObject({ code: "NETWORK" });
  await offline.rename("Letters", "Mail");
  await offline.close().catch(() => undefined);
  const { drive: later } = await account.open(folder);
  expect(paths(later.list())).toEqual(["Mail"]);
  await later.close();
  const { drive: other } = await account.open();
  expect(paths(other.list())).toEqual(["Mail"]);
});

test("two devices change it at once, and both have all changes", async () => {
  const account = await createAccount();
  const one = (await account.open()).drive;
  await one.add(new File(["a"], "a.txt"));
  await one.sync();
  const two = (await account.open()).drive;
  await Promise.all([
    one.createFolder("One"),
    two.createFolder("Two"),
    two.rename("a.txt", "b.txt"),
    one.move("a.txt", ""),
  ]);
  await Promise.all([one.add(new File(["1"], "n.txt")), two.add(new File(["2"], "n.txt"))]);
  await one.sync();
  await two.sync();
  await one.sync();
  expect(paths(one.list())).toEqual(["One", "Two", "b.txt", "n (2).txt", "n.txt"]);
  expect(two.list()).toEqual(one.list());
  await one.close();
  await two.close();
});
