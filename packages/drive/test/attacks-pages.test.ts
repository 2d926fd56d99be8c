import { expect, test } from "vitest";
import { devnetForTests } from "../../../test/support/devnet-wire.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { scratch } from "../../../test/support/files.ts";
import { allPaths, createBarrier, createOwner, hostileApi, isListing, killUpload, text } from "./attack-rig.ts";

const devnet = devnetForTests();

test("a change that is noted while a version is being stored survives a kill after that version is stored", async () => {
  const owner = await createOwner(devnet());
  const folder = await scratch();
  const barrier = createBarrier();
  const started = createBarrier();
  let isSlow = false;
  const { drive, kill } = await owner.open(folder, {}, async (kind) => {
    if (kind !== "drive-change" || !isSlow) return;
    isSlow = false;
    started.open();
    await barrier.opened;
  });
  await drive.createFolder("A");
  isSlow = true;
  const created = drive.createFolder("B");
  await started.opened;
  const countStored = () =>
    devnet()
      .requests()
      .filter(({ service, status }) => service === "upload" && status === 200).length;
  const before = countStored();
  const synced = drive.sync();
  await eventually(() => expect(countStored()).toBe(before + 1));
  barrier.open();
  await created;
  await synced.catch(() => undefined);
  await kill();
  const { drive: again } = await owner.open(folder);
  await again.sync();
  expect(allPaths(again)).toEqual(["A", "B"]);
});

test("a page that stays open takes over what one that was killed has not stored, with its next sync", async () => {
  const owner = await createOwner(devnet());
  const folder = await scratch();
  const one = await owner.open(folder);
  const two = await owner.open(folder);
  await two.drive.createFolder("Of the killed page");
  await two.kill();
  await one.drive.sync();
  expect(allPaths(one.drive)).toEqual(["Of the killed page"]);
});

test("a file whose page was killed is at its path after resumeAll and a sync of a page that stays open", async () => {
  const owner = await createOwner(devnet());
  const folder = await scratch();
  const one = await owner.open(folder);
  await killUpload(devnet(), owner, folder, (drive) => drive.add(text("content", "a.txt")));
  await owner.resumeAll(folder);
  await one.drive.sync();
  expect(allPaths(one.drive)).toEqual(["a.txt"]);
});

test("a file whose page was killed is at its path after resumeAll and a sync of the drive that is opened next", async () => {
  const owner = await createOwner(devnet());
  const folder = await scratch();
  await killUpload(devnet(), owner, folder, (drive) => drive.add(text("content", "a.txt")));
  await owner.resumeAll(folder);
  const { drive } = await owner.open(folder);
  await drive.sync();
  expect(allPaths(drive)).toEqual(["a.txt"]);
  expect(drive.versions("a.txt")).toHaveLength(1);
});

test("after close no change is accepted, or it is in the drive that is opened next", async () => {
  const owner = await createOwner(devnet());
  const folder = await scratch();
  const one = await owner.open(folder);
  await one.drive.createFolder("A");
  await one.drive.close();
  const accepted = await one.drive.createFolder("B").then(
    () => true,
    () => false,
  );
  const two = await owner.open(folder);
  await two.drive.sync();
  expect(allPaths(two.drive)).toEqual(accepted ? ["A", "B"] : ["A"]);
  await two.drive.close();
});

test("a file that is being added while the drive is closed is in the drive that is opened next", async () => {
  const owner = await createOwner(devnet());
  const folder = await scratch();
  const one = await owner.open(folder);
  const adding = one.drive.add(text("content", "a.txt"));
  await one.drive.close();
  await adding.catch(() => undefined);
  const two = await owner.open(folder);
  await two.drive.sync();
  expect(allPaths(two.drive)).toEqual(["a.txt"]);
  expect(two.drive.find("a.txt")).toMatchObject({ commitment: expect.any(String) });
  await two.drive.close();
});

test("what was stored before a kill is not unsaved for ever after it", async () => {
  const owner = await createOwner(devnet());
  const folder = await scratch();
  let isFrozen = false;
  const one = await owner.open(folder, {}, (kind) => {
    // Killed once the version is known to be stored.
    if (isFrozen && kind === "drive") throw new Error("killed");
  });
  await one.drive.createFolder("A");
  isFrozen = true;
  await one.drive.sync().catch(() => undefined);
  await one.kill();
  const two = await owner.open(folder);
  await two.drive.sync();
  expect(allPaths(two.drive)).toEqual(["A"]);
  expect(two.drive.status().unsaved).toBe(false);
  await two.drive.close();
});

test("a version that was stored but not noted is not unsaved for ever", async () => {
  const owner = await createOwner(devnet());
  let isFull = false;
  const one = await owner.open(await scratch(), {}, (kind) => {
    if (isFull && kind === "drive") throw new Error("no space");
  });
  await one.drive.createFolder("A");
  isFull = true;
  await one.drive.sync().catch(() => undefined);
  isFull = false;
  await one.drive.sync();
  expect(one.drive.status().unsaved).toBe(false);
});

test("what is restored from the trash takes the name of nothing that has it", async () => {
  const owner = await createOwner(devnet());
  const { drive } = await owner.open(await scratch());
  await drive.createFolder("a");
  await drive.trash("a");
  const second = await drive.createFolder("a");
  await drive.trash("a");
  const live = await drive.createFolder("a");
  await drive.restore(second);
  expect(drive.find("a")?.id).toBe(live.id);
  for (const entry of drive.listTrash()) await drive.restore(entry);
  expect(drive.find("a")?.id).toBe(live.id);
});

test("a listener that throws fails no change", async () => {
  const owner = await createOwner(devnet());
  const { drive } = await owner.open(await scratch());
  drive.subscribe(() => {
    throw new Error("of the caller");
  });
  await drive.createFolder("A");
  await drive.sync();
  expect(drive.status().unsaved).toBe(false);
});

test("two files of one name that are added at once are one file with two versions", async () => {
  const owner = await createOwner(devnet());
  const { drive } = await owner.open(await scratch());
  await Promise.all([drive.add(text("one", "n.txt")), drive.add(text("two", "n.txt"))]);
  expect(allPaths(drive)).toEqual(["n.txt"]);
  expect(drive.versions("n.txt")).toHaveLength(2);
});

test("what is being removed cannot be restored", async () => {
  const { owner, proxy, changes } = await hostileApi(devnet());
  const { drive } = await owner.open(await scratch(), changes);
  await drive.add(text("one", "a.txt"));
  const trashed = await drive.trash("a.txt");
  const barrier = createBarrier();
  const held = createBarrier();
  proxy.intercept = async (request, send) => {
    if (!isListing(request) || drive.listTrash().length > 0) return send();
    const served = await send();
    held.open();
    await barrier.opened;
    return served;
  };
  const removing = drive.remove(trashed);
  await held.opened;
  // It is removed already: only the account's file is not deleted yet.
  await expect(drive.restore(trashed)).rejects.toMatchObject({ code: "INVALID_OPTION" });
  barrier.open();
  await removing;
  proxy.intercept = undefined;
  expect([drive.find("a.txt"), drive.listTrash()]).toEqual([undefined, []]);
  expect((await drive.listLoose()).map(({ cid }) => cid)).toEqual([]);
});
