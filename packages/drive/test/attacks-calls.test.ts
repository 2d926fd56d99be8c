import { expect, test } from "vitest";
import { openJournal } from "../../../src/index.ts";
import { devnetForTests } from "../../../test/support/devnet-wire.ts";
import { scratch } from "../../../test/support/files.ts";
import { openDrive } from "../src/index.ts";
import { allPaths, createBarrier, createOwner, hostileApi, isListing, paths, text } from "./attack-rig.ts";
import { closeAfterTest } from "./drive-for-tests.ts";
import { createRandom, randomCid } from "./random-states.ts";

const devnet = devnetForTests();

test("a version that another device adds while a file is removed brings the file back", async () => {
  const { owner, proxy, changes } = await hostileApi(devnet());
  const one = (await owner.open(await scratch(), changes)).drive;
  await one.add(text("one", "a.txt"));
  await one.sync();
  const two = (await owner.open(await scratch())).drive;
  const trashed = await one.trash("a.txt");
  const barrier = createBarrier();
  const held = createBarrier();
  proxy.intercept = async (request, send) => {
    if (!isListing(request)) return send();
    const served = await send();
    proxy.intercept = undefined;
    held.open();
    await barrier.opened;
    return served;
  };
  const removing = one.remove(trashed);
  await held.opened;
  const [added] = await two.add(text("two", "a.txt"));
  await two.sync();
  barrier.open();
  await removing;
  await one.sync();
  const found = one.listTrash()[0] ?? one.find("a.txt");
  expect(found && one.versions(found).map(({ cid }) => cid)).toEqual([added?.cid]);
});

test("what another device moves into a folder while that is removed is not deleted", async () => {
  const { owner, proxy, changes } = await hostileApi(devnet());
  const one = (await owner.open(await scratch(), changes)).drive;
  await one.createFolder("F");
  await one.add(text("kept", "kept.txt"));
  await one.sync();
  const two = (await owner.open(await scratch())).drive;
  const trashed = await one.trash("F");
  const barrier = createBarrier();
  const held = createBarrier();
  proxy.intercept = async (request, send) => {
    if (!isListing(request)) return send();
    const served = await send();
    proxy.intercept = undefined;
    held.open();
    await barrier.opened;
    return served;
  };
  const removing = one.remove(trashed);
  await held.opened;
  await two.move("kept.txt", "F");
  await two.sync();
  barrier.open();
  await removing;
  await one.sync();
  await two.sync();
  expect(two.search("kept")).toHaveLength(1);
});

test("10,000 entries are adopted, stored, moved and found on another device", async () => {
  const owner = await createOwner(devnet());
  const { drive } = await owner.open(await scratch());
  const random = createRandom(1);
  await drive.createFolder("F");
  const files = Array.from({ length: 10_000 }, (_, at) => ({ cid: randomCid(random), name: `${at}.txt`, folder: "F" }));
  await drive.adopt(files);
  for (let at = 0; at < 20; at++) await drive.rename(`F/${at}.txt`, `renamed ${at}.txt`);
  await drive.sync();
  const { drive: other } = await owner.open(await scratch());
  expect(other.list("F")).toEqual(drive.list("F"));
  expect(other.list("F")).toHaveLength(10_000);
});

test("names that no folder can have are refused, and all others are kept as they are", async () => {
  const owner = await createOwner(devnet());
  const { drive } = await owner.open(await scratch());
  const good = [
    "e\u0301te\u0301",
    "🦓".repeat(100),
    "x".repeat(255),
    "con",
    "nul.txt",
    "__proto__",
    "constructor",
    " a ",
    "שלום",
  ];
  for (const name of good) await drive.createFolder(name);
  for (const name of ["", ".", "..", "a\u202eb", "x".repeat(256), "a\u0000", "\ud800", "a\nb"])
    await expect(drive.createFolder(name), JSON.stringify(name)).rejects.toMatchObject({ code: "INVALID_OPTION" });
  for (const path of ["a//b", "a/../b", "a/./b"])
    await expect(drive.createFolder(path), path).rejects.toMatchObject({ code: "INVALID_OPTION" });
  expect(drive.find("/été//")?.name).toBe("été");
  expect(drive.find("a//b")).toBeUndefined();
  await drive.sync();
  const { drive: other } = await owner.open(await scratch());
  expect(new Set(paths(other.list()))).toEqual(new Set(good.map((name) => name.normalize("NFC"))));
  for (const name of good) expect(other.find(name)?.type).toBe("folder");
});

test("arguments that change after a call change nothing of it", async () => {
  const owner = await createOwner(devnet());
  const { drive } = await owner.open(await scratch());
  await drive.createFolder("F");
  await drive.createFolder("G");
  const file = { cid: randomCid(createRandom(2)), name: "a", folder: "F" };
  const files = [file];
  const adopting = drive.adopt(files);
  Object.assign(file, { name: "b", folder: "G", cid: "" });
  files.length = 0;
  expect(paths(await adopting)).toEqual(["F/a"]);
  const options = { folder: "F" };
  const sources = [text("1", "1.txt")];
  const adding = drive.add(sources, options);
  options.folder = "G";
  sources.push(text("2", "2.txt"));
  expect(paths(await adding)).toEqual(["F/1.txt"]);
  const entry = { ...drive.list("F")[0] } as NonNullable<ReturnType<typeof drive.find>>;
  const moving = drive.move(entry, "G");
  entry.id = drive.find("F/a")?.id === entry.id ? (drive.find("F/1.txt")?.id ?? "") : (drive.find("F/a")?.id ?? "");
  expect((await moving).path.startsWith("G/")).toBe(true);
  expect(drive.list("F")).toHaveLength(1);
});

test("an entry of another drive, and one that is deleted, are refused", async () => {
  const [owner, stranger] = [await createOwner(devnet()), await createOwner(devnet())];
  const { drive } = await owner.open(await scratch());
  const { drive: theirs } = await stranger.open(await scratch());
  const entry = await theirs.createFolder("Theirs");
  const refused = { code: "INVALID_OPTION" };
  await expect(drive.move(entry, "")).rejects.toMatchObject(refused);
  await expect(drive.trash(entry)).rejects.toMatchObject(refused);
  expect(() => drive.list(entry)).toThrow(expect.objectContaining(refused));
  const own = await drive.createFolder("Own");
  await drive.remove(await drive.trash(own));
  await expect(drive.rename(own, "b")).rejects.toMatchObject(refused);
});

test("an address in another case opens the same drive of a journal", async () => {
  const owner = await createOwner(devnet());
  const folder = await scratch();
  const { drive } = await owner.open(folder);
  await drive.createFolder("A");
  await drive.close();
  const { signer } = owner.own;
  const lower = {
    getAddress: async () => signer.address.toLowerCase(),
    signMessage: () => Promise.reject(new Error()),
  };
  const journal = await openJournal({ folder });
  const again = await openDrive({ ...owner.own, signer: lower, apiKey: owner.apiKey, journal });
  closeAfterTest(again);
  expect(allPaths(again)).toEqual(["A"]);
});

test("values that no manifest has are refused as options, and leave the drive as it is", async () => {
  const owner = await createOwner(devnet());
  const { drive } = await owner.open(await scratch());
  const cid = randomCid(createRandom(3));
  const refused = { code: expect.stringMatching(/^INVALID_(OPTION|CID)$/) };
  for (const wrong of [
    { size: -1 },
    { size: 1.5 },
    { commitment: "zz".repeat(32) },
    { commitment: "ab" },
    { cid: "no" },
  ])
    await expect(drive.adopt([{ cid, name: "a", ...wrong }]), JSON.stringify(wrong)).rejects.toMatchObject(refused);
  expect(drive.list()).toEqual([]);
});
