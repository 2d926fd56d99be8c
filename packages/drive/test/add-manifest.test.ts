import { Wallet } from "ethers";
import { createKit } from "keeplight";
import { expect, test } from "vitest";
import { isFolderManifest, MANIFEST_NAME } from "../src/index.ts";
import { bytes, drivesForTests } from "./drive-for-tests.ts";

const { createAccount, devnet } = drivesForTests();

const file = (name: string, text = name) => new File([bytes(text)], name);

async function openWithLetters() {
  const account = await createAccount();
  const opened = await account.open();
  const { drive } = opened;
  await drive.add(file("a.txt"), { folder: "Letters" });
  await drive.add(file("b.txt"), { folder: "Letters/2026" });
  return { ...account, ...opened };
}

test("a folder is shared as a whole: its files open for the other account, under their names, until that is revoked", async () => {
  const { drive, kit } = await openWithLetters();
  const steps: number[] = [];
  const { cid, path } = await drive.addManifest("Letters", { onProgress: ({ fraction }) => steps.push(fraction) });
  expect(path).toBe(`Letters/${MANIFEST_NAME}`);
  expect(steps).toEqual([0.5, 0.99]);
  const bob = Wallet.createRandom();
  await kit.shareEncryptedFolder(cid, { shareTo: bob.address });
  const bobs = createKit({ signer: new Wallet(bob.privateKey), endpoints: devnet().endpoints, pauseMs: 0, retryMs: 0 });
  const opened = await bobs.readEncryptedFolder(cid);
  expect(opened).toMatchObject({ name: "Letters", size: 10, owner: drive.account });
  expect(opened.files.map((each) => each.path).sort()).toEqual(["2026/b.txt", "a.txt"]);
  for (const { path, cid, commitment } of opened.files) {
    expect(await bobs.decrypt(cid, { commitment })).toEqual(bytes(path.split("/").at(-1) ?? ""));
  }
  await kit.revokeEncryptedFolder(cid, { revokeTo: bob.address });
  await expect(bobs.readEncryptedFolder(cid)).rejects.toMatchObject({ code: "NODE_REFUSED" });
  await expect(bobs.decrypt(opened.files[0]?.cid ?? "")).rejects.toMatchObject({ code: "NODE_REFUSED" });
});

test("the manifest of a folder that has not changed is the same; a change, a new name too, is a new version of it", async () => {
  const { drive, kit } = await openWithLetters();
  const { cid, id } = await drive.addManifest("Letters");
  expect(await drive.addManifest("Letters")).toMatchObject({ cid, id });
  await drive.rename("Letters/a.txt", "first.txt");
  const changed = await drive.addManifest("Letters");
  expect(changed).toMatchObject({ id, path: `Letters/${MANIFEST_NAME}` });
  expect(drive.versions(changed).map((each) => each.cid)).toEqual([changed.cid, cid]);
  const { files } = await kit.readEncryptedFolder(changed.cid);
  expect(files.map(({ path }) => path).sort()).toEqual(["2026/b.txt", "first.txt"]);
  await drive.rename("Letters", "Mail");
  const renamed = await drive.addManifest("Mail");
  expect(renamed.cid).not.toBe(changed.cid);
  expect(await kit.readEncryptedFolder(renamed.cid)).toMatchObject({ name: "Mail" });
  // Those of folders in it are no files of it, and what is in the trash is not shared.
  await drive.addManifest("Mail/2026");
  await drive.trash("Mail/first.txt");
  const last = await drive.addManifest("Mail");
  expect((await kit.readEncryptedFolder(last.cid)).files.map(({ path }) => path)).toEqual(["2026/b.txt"]);
});

test("the network sees neither the names in a manifest nor its own", async () => {
  const { drive, kit } = await openWithLetters();
  await drive.addManifest("Letters");
  const names: (string | null)[] = [];
  for await (const { fileName } of kit.iterateFiles()) names.push(fileName);
  expect(names.filter((name) => /letter|folder|\.txt|json/i.test(name ?? ""))).toEqual([]);
  expect(await drive.listLoose()).toEqual([]);
});

test("a file of another client is listed, once four nodes agree on its key; one without a key is refused", async () => {
  const { drive, kit } = await openWithLetters();
  const [stored] = await kit.uploadEncrypted(file("old.txt"));
  await drive.adopt([{ cid: stored.Hash, name: "old.txt", folder: "Letters", size: 7 }]);
  const { cid } = await drive.addManifest("Letters");
  const { files } = await kit.readEncryptedFolder(cid);
  const old = files.find(({ path }) => path === "old.txt");
  expect(await kit.decrypt(stored.Hash, { commitment: old?.commitment })).toEqual(bytes("old.txt"));
  const [open] = await kit.upload(file("open.txt"));
  await drive.adopt([{ cid: open.Hash, name: "open.txt", folder: "Letters" }]);
  await expect(drive.addManifest("Letters")).rejects.toMatchObject({ code: "CID_NOT_FOUND" });
  expect(drive.find(`Letters/${MANIFEST_NAME}`)).toMatchObject({ cid });
});

test("what is no folder, or has no files, is refused before anything is sent; an abort adds nothing", async () => {
  const { drive } = await openWithLetters();
  await drive.createFolder("Empty/below");
  const requests = devnet().requests().length;
  await expect(drive.addManifest("Letters/a.txt")).rejects.toMatchObject({ code: "INVALID_OPTION" });
  await expect(drive.addManifest("")).rejects.toMatchObject({ code: "INVALID_OPTION" });
  await expect(drive.addManifest("Empty")).rejects.toMatchObject({ code: "INVALID_SOURCE" });
  expect(
    devnet()
      .requests()
      .slice(requests)
      .filter(({ service }) => service === "upload"),
  ).toEqual([]);
  await expect(drive.addManifest("Letters", { signal: AbortSignal.abort() })).rejects.toMatchObject({
    code: "ABORTED",
  });
  expect(drive.find(`Letters/${MANIFEST_NAME}`)).toBeUndefined();
});

test("of two devices that list a folder at once, neither list is a file of it", async () => {
  const { drive, open, kit } = await openWithLetters();
  await drive.sync();
  const { drive: other } = await open();
  const added = [await drive.addManifest("Letters"), await other.addManifest("Letters")];
  for (const each of [other, drive]) await each.sync();
  expect(drive.list("Letters").map(({ name }) => name)).toContain(".keeplight-folder (2).json");
  const lists = drive.list("Letters").filter(isFolderManifest);
  const cids = lists.flatMap((each) => drive.versions(each).map(({ cid }) => cid));
  expect(cids.sort()).toEqual(added.map(({ cid }) => cid).sort());
  await drive.rename("Letters/a.txt", "first.txt");
  const { cid } = await drive.addManifest("Letters");
  const { files } = await kit.readEncryptedFolder(cid);
  expect(files.map(({ path }) => path).sort()).toEqual(["2026/b.txt", "first.txt"]);
});

test("share and createMessage name no list of a folder, unless it is what they are called with", async () => {
  const { drive, kit } = await openWithLetters();
  const { cid } = await drive.addManifest("Letters");
  const bob = Wallet.createRandom().address;
  await drive.share("Letters", { shareTo: bob });
  expect((await kit.kavachGetAccessConditions(cid)).sharedTo).toEqual([]);
  const message = await drive.createMessage("Letters", { to: bob });
  expect(Buffer.from(message.split(".")[1] ?? "", "base64url").toString()).not.toContain(cid);
  await drive.share(`Letters/${MANIFEST_NAME}`, { shareTo: bob });
  expect((await kit.kavachGetAccessConditions(cid)).sharedTo).toHaveLength(1);
});

test("the list of another account is never taken for the folder's own, whether or not it opens", async () => {
  const { drive, kit } = await openWithLetters();
  const bob = await createAccount();
  const { drive: bobs } = await bob.open();
  const [added] = await bobs.add(file("x.txt"), { folder: "Theirs" });
  const theirs = await bobs.addManifest("Theirs");
  await bob.kit.shareEncryptedFolder(theirs.cid, { shareTo: drive.account });
  await drive.createFolder("Theirs");
  const size = 5;
  await drive.adopt([
    { cid: added?.cid ?? "", name: "x.txt", folder: "Theirs", commitment: added?.commitment, size },
    { cid: theirs.cid, name: MANIFEST_NAME, folder: "Theirs" },
    { cid: theirs.cid, name: MANIFEST_NAME, folder: "Letters" },
  ]);
  const own = await drive.addManifest("Theirs");
  expect(own.cid).not.toBe(theirs.cid);
  expect(await kit.readEncryptedFolder(own.cid)).toMatchObject({ owner: drive.account });
  await bob.kit.revokeEncryptedFolder(theirs.cid, { revokeTo: drive.account });
  expect((await drive.addManifest("Letters")).cid).not.toBe(theirs.cid);
});
