import { openJournal } from "keeplight";
import { getEntries, toJournal } from "keeplight/parts";
import { expect, onTestFinished, test } from "vitest";
import { journalDamaged } from "../../../src/base/errors/journal.ts";
import { scratch } from "../../../test/support/files.ts";
import { openDrive, openLink } from "../src/index.ts";
import { bytes, closeAfterTest, drivesForTests } from "./drive-for-tests.ts";

const { createAccount, devnet } = drivesForTests();

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

test("no key file is listed unless the nodes have its key", async () => {
  const { open, kit } = await createAccount();
  const action = { kind: "respond", status: 500 } as const;
  const mend = devnet().faults.add({ service: "keyNodes", method: "POST", path: "/api/setSharedKey", action });
  onTestFinished(mend);
  await expect(open()).rejects.toMatchObject({ code: "SHARDS_NOT_SAVED" });
  for await (const { fileName } of kit.iterateFiles()) expect(fileName).toBeUndefined();
});

test.each([
  ["that is damaged is removed", "", 1],
  ["of a later version of this package stays", ", or written by a later version of this package", 0],
])("what a journal knows of a drive, %s", async (_, note, discarded) => {
  const { own, apiKey } = await createAccount();
  const journal = await openJournal({ folder: await scratch() });
  const entries = getEntries(journal);
  const id = "0".repeat(32);
  const isDiscarded: string[] = [];
  const place = toJournal(
    { ...journal },
    {
      ...entries,
      async open(...given) {
        if (isDiscarded.length === 0) throw journalDamaged(`${id}${note}`);
        return entries.open(...given);
      },
      discard: async (each) => void isDiscarded.push(each),
    },
  );
  const opening = openDrive({ ...own, apiKey, journal: place });
  if (discarded > 0) closeAfterTest(await opening);
  else await expect(opening).rejects.toMatchObject({ code: "JOURNAL_DAMAGED" });
  expect(isDiscarded).toHaveLength(discarded);
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

test("an upload may take longer than a request to the API", async () => {
  const account = await createAccount();
  const { drive } = await account.open();
  devnet().faults.add({ service: "upload", times: 1, action: { kind: "delay", ms: 9_000 } });
  await drive.add(new File(["slow"], "slow.txt"));
  expect(paths(drive.list())).toEqual(["slow.txt"]);
  await drive.close();
});

test("files are removed from the account with the drive, unless they are not encrypted and may be stored again", async () => {
  const account = await createAccount();
  const { drive } = await account.open();
  const [secret] = await drive.add(new File(["secret"], "secret.txt"));
  const { Hash: cid } = (await account.kit.upload(bytes("public"), { name: "public.txt" }))[0];
  await drive.adopt([{ cid, name: "public.txt" }]);
  for (const path of ["secret.txt", "public.txt"]) await drive.remove(await drive.trash(path));
  expect([drive.list(), drive.listTrash()]).toEqual([[], []]);
  expect((await drive.listLoose()).map((file) => file.cid)).toEqual([cid]);
  const rows: string[] = [];
  for await (const row of account.kit.iterateFiles()) rows.push(row.cid);
  expect(rows).not.toContain(secret?.cid);
  await drive.close();
});

test("what is loose is found in a listing that was read before, without another one", async () => {
  const account = await createAccount();
  const { drive, journal } = await account.open();
  const [{ Hash: cid }] = await account.kit.upload(bytes("public"), { name: "public.txt" });
  await drive.add(new File(["letter"], "letter.txt"));
  await drive.createFolder("Photos/2026");
  await drive.trash("Photos");
  expect(paths(drive.listAll()).sort()).toEqual(["Photos", "Photos/2026", "letter.txt"]);
  await drive.sync();
  const rows = [];
  for await (const row of account.kit.iterateFiles()) rows.push(row);
  expect(rows.length).toBeGreaterThan(2);
  expect((await drive.listLoose(rows)).map((row) => row.cid)).toEqual([cid]);
  expect(await drive.listLoose([])).toEqual([]);
  const other = await openJournal({ folder: await scratch() });
  await expect(drive.add(bytes("x"), { name: "x", journal: other })).rejects.toMatchObject({ code: "INVALID_OPTION" });
  expect(await journal.list()).toEqual([]);
  await drive.close();
});

test("the files of a folder are shared and opened by others, and a link has the real name", async () => {
  const [owner, friend] = [await createAccount(), await createAccount()];
  const { drive } = await owner.open();
  const files = await drive.add([new File(["1"], "one.txt"), new File(["2"], "two.txt")], { folder: "Shared" });
  await drive.share("Shared", { shareTo: friend.own.signer.address });
  for (const { cid } of files) expect((await friend.kit.decrypt(cid)).length).toBe(1);
  const { url } = await drive.createLink("Shared/one.txt", { page: "https://app.example/open" });
  expect(await openLink(url)).toMatchObject({ cid: files[0]?.cid, name: "one.txt" });
  await drive.close();
});

test("older versions of a file are listed, opened and restored", async () => {
  const account = await createAccount();
  const { drive } = await account.open();
  const [first] = await drive.add(new File(["first"], "letter.txt"));
  const [second] = await drive.add(new File(["second"], "letter.txt"));
  expect(second?.id).toBe(first?.id);
  expect(drive.versions("letter.txt").map(({ cid }) => cid)).toEqual([second?.cid, first?.cid]);
  await drive.restore("letter.txt", { version: first?.cid });
  expect(drive.find("letter.txt")).toMatchObject({ cid: first?.cid, size: 5 });
  await drive.close();
});
