import { expect, test } from "vitest";
import { KeeplightError } from "../../../src/base/errors/base.ts";
import { devnetForTests } from "../../../test/support/devnet-wire.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { scratch } from "../../../test/support/files.ts";
import { allPaths, createBarrier, createOwner, killUpload, listVersions, startProxy, text } from "./attack-rig.ts";

const devnet = devnetForTests();

const full = () => new KeeplightError("CANNOT_WRITE", "No space is left", { details: { path: "journal" } });

test("on a full disk a change is refused, and made once there is room", async () => {
  const owner = await createOwner(devnet());
  const folder = await scratch();
  let isFull = false;
  const { drive } = await owner.open(folder, {}, () => {
    if (isFull) throw full();
  });
  await drive.createFolder("A");
  isFull = true;
  const refused = { code: "CANNOT_WRITE" };
  await expect(drive.createFolder("B")).rejects.toMatchObject(refused);
  await expect(drive.rename("A", "C")).rejects.toMatchObject(refused);
  await expect(drive.add(text("content", "a.txt"))).rejects.toMatchObject(refused);
  expect(allPaths(drive)).toEqual(["A"]);
  isFull = false;
  await drive.rename("A", "C");
  await drive.add(text("content", "a.txt"));
  await drive.close();
  const { drive: again } = await owner.open(folder);
  expect(allPaths(again)).toEqual(["a.txt", "C"]);
});

test("a file that cannot be noted any more once it is sent is in the drive after a sync, with its commitment", async () => {
  const owner = await createOwner(devnet());
  let isFull = false;
  const upload = await startProxy(devnet().endpoints.upload);
  const endpoints = { ...devnet().endpoints, upload: upload.url };
  const { drive } = await owner.open(await scratch(), { endpoints }, (kind) => {
    if (isFull && kind === "drive-change") throw full();
  });
  upload.intercept = async (_, send) => {
    const served = await send();
    isFull = true;
    return served;
  };
  await expect(drive.add(text("content", "a.txt"))).rejects.toMatchObject({ code: "CANNOT_WRITE" });
  upload.intercept = undefined;
  isFull = false;
  await drive.sync();
  expect(allPaths(drive)).toEqual(["a.txt"]);
  expect(drive.find("a.txt")).toMatchObject({ size: 7, commitment: expect.any(String) });
});

test("a change that could not be noted while a version was being stored never appears later", async () => {
  const owner = await createOwner(devnet());
  const folder = await scratch();
  const barrier = createBarrier();
  const started = createBarrier();
  let isSlow = false;
  const upload = await startProxy(devnet().endpoints.upload);
  const endpoints = { ...devnet().endpoints, upload: upload.url };
  const { drive, kill } = await owner.open(folder, { endpoints }, async (kind) => {
    if (kind !== "drive-change" || !isSlow) return;
    isSlow = false;
    started.open();
    await barrier.opened;
    throw full();
  });
  await drive.createFolder("A");
  isSlow = true;
  const refused = drive.createFolder("B");
  refused.catch(() => undefined);
  await started.opened;
  upload.intercept = () => ({ status: 500, type: "text/plain", body: Buffer.from("no") });
  const before = upload.requests.length;
  const synced = drive.sync().catch(() => undefined);
  await eventually(() => expect(upload.requests.length).toBeGreaterThan(before));
  barrier.open();
  await expect(refused).rejects.toMatchObject({ code: "CANNOT_WRITE" });
  await synced;
  await drive.createFolder("C");
  await kill();
  const { drive: again } = await owner.open(folder);
  await again.sync();
  expect(allPaths(again)).toEqual(["A", "C"]);
});

test("a file whose keys are not saved yet is not in the drive as if it could be read", async () => {
  const owner = await createOwner(devnet());
  const { drive } = await owner.open(await scratch());
  devnet().faults.add({
    service: "keyNodes",
    path: "/api/setSharedKey",
    action: { kind: "respond", status: 500 },
  });
  await drive.add(text("content", "a.txt")).catch(() => undefined);
  await drive.sync();
  devnet().faults.clear();
  const found = drive.find("a.txt");
  const content =
    found?.type === "file"
      ? await owner.kit.decrypt(found.cid).then((bytes) => new TextDecoder().decode(bytes), String)
      : undefined;
  expect([undefined, "content"]).toContain(content);
});

test("files that another page is uploading are not loose", async () => {
  const owner = await createOwner(devnet());
  const folder = await scratch();
  const upload = await startProxy(devnet().endpoints.upload);
  const barrier = createBarrier();
  const held = createBarrier();
  const one = (await owner.open(folder)).drive;
  const two = (await owner.open(folder, { endpoints: { ...devnet().endpoints, upload: upload.url } })).drive;
  upload.intercept = async (_, send) => {
    const served = await send();
    held.open();
    await barrier.opened;
    return served;
  };
  const adding = two.add(text("content", "a.txt"));
  await held.opened;
  const loose = await one.listLoose();
  barrier.open();
  await adding;
  expect(loose).toEqual([]);
});

test("two pages with one journal change the drive at once, and both, and the next one, have all changes", async () => {
  const owner = await createOwner(devnet());
  const folder = await scratch();
  const [one, two] = await Promise.all([owner.open(folder), owner.open(folder)]);
  const pages = [one.drive, two.drive];
  await Promise.all(
    pages.flatMap((drive, page) =>
      Array.from({ length: 8 }, async (_, at) => {
        await drive.createFolder(`page ${page} ${at}`);
        if (at % 3 === 0) await drive.sync();
      }),
    ),
  );
  for (const drive of [...pages, ...pages]) await drive.sync();
  expect(two.drive.search("")).toEqual(one.drive.search(""));
  expect(one.drive.search("")).toHaveLength(16);
  for (const drive of pages) expect(drive.status()).toEqual({ unsaved: false, problems: [] });
  await Promise.all(pages.map((drive) => drive.close()));
  const { drive } = await owner.open(folder);
  expect(drive.search("")).toHaveLength(16);
  expect(drive.status()).toEqual({ unsaved: false, problems: [] });
});

test("of two versions that a journal has seen, neither of which follows the other, the one that has everything is opened", async () => {
  const owner = await createOwner(devnet());
  const folder = await scratch();
  const barrier = createBarrier();
  const sent = createBarrier();
  const upload = await startProxy(devnet().endpoints.upload);
  const one = (await owner.open(folder)).drive;
  const two = (await owner.open(folder, { endpoints: { ...devnet().endpoints, upload: upload.url } })).drive;
  upload.intercept = async (_, send) => {
    sent.open();
    await barrier.opened;
    return send();
  };
  await two.createFolder("two");
  const storing = two.sync();
  await sent.opened;
  // The journal has what the other page is just storing.
  await one.createFolder("one");
  await one.sync();
  barrier.open();
  await storing;
  upload.intercept = undefined;
  for (const drive of [one, two]) {
    await drive.sync();
    expect(allPaths(drive)).toEqual(["one", "two"]);
    await drive.close();
  }
  expect(allPaths((await owner.open(folder)).drive)).toEqual(["one", "two"]);
});

test("a device that was away for more versions than are kept has all of it, and reports no rollback", async () => {
  const owner = await createOwner(devnet());
  const away = await scratch();
  const first = (await owner.open(away)).drive;
  await first.createFolder("Away");
  await first.close();
  const { drive } = await owner.open(await scratch());
  for (let version = 0; version < 120; version++) {
    await drive.createFolder(`${version}`);
    await drive.sync();
  }
  await drive.sync();
  expect((await listVersions(owner)).length).toBeLessThanOrEqual(51);
  const { drive: back } = await owner.open(away);
  expect(back.status().problems).toEqual([]);
  await back.createFolder("Back");
  await back.sync();
  await drive.sync();
  expect(back.status()).toEqual({ unsaved: false, problems: [] });
  expect(drive.search("")).toEqual(back.search(""));
  expect(drive.search("")).toHaveLength(122);
});

test("close while changes, syncs and an upload are under way leaves all of them to the drive that is opened next", async () => {
  const owner = await createOwner(devnet());
  const folder = await scratch();
  const { drive } = await owner.open(folder);
  const working = [
    drive.createFolder("A"),
    drive.sync(),
    drive.createFolder("B"),
    drive.sync(),
    drive.createFolder("C"),
  ];
  await drive.close();
  await Promise.all(working);
  const { drive: again } = await owner.open(folder);
  expect(allPaths(again)).toEqual(["A", "B", "C"]);
  expect(again.status()).toEqual({ unsaved: false, problems: [] });
});

test("a new version of a file that is moved to the trash meanwhile is not hidden in the trash", async () => {
  const owner = await createOwner(devnet());
  const upload = await startProxy(devnet().endpoints.upload);
  const { drive } = await owner.open(await scratch(), { endpoints: { ...devnet().endpoints, upload: upload.url } });
  await drive.add(text("one", "a.txt"));
  const barrier = createBarrier();
  const held = createBarrier();
  upload.intercept = async (_, send) => {
    upload.intercept = undefined;
    held.open();
    await barrier.opened;
    return send();
  };
  const adding = drive.add(text("two", "a.txt"));
  await held.opened;
  await drive.remove(await drive.trash("a.txt"));
  barrier.open();
  const [added] = await adding;
  expect(added?.trashed).toBe(false);
});

test("a file that was renamed after its page was killed keeps its new name after the next sync", async () => {
  const owner = await createOwner(devnet());
  const folder = await scratch();
  await killUpload(devnet(), owner, folder, (drive) => drive.add(text("content", "a.txt")));
  await owner.resumeAll(folder);
  const { drive, kill } = await owner.open(folder);
  await drive.sync();
  await drive.rename("a.txt", "b.txt");
  await kill();
  const { drive: again } = await owner.open(folder);
  await again.sync();
  expect(allPaths(again)).toEqual(["b.txt"]);
});

test("a new device reads the newest version, not each of them", async () => {
  const owner = await createOwner(devnet());
  const { drive } = await owner.open(await scratch());
  for (let version = 0; version < 15; version++) {
    await drive.createFolder(`${version}`);
    await drive.sync();
  }
  const gateway = await startProxy(devnet().endpoints.gateway);
  const endpoints = { ...devnet().endpoints, gateway: gateway.url };
  const { drive: other } = await owner.open(await scratch(), { endpoints });
  expect(other.list()).toHaveLength(15);
  expect(gateway.requests.length).toBeLessThan(10);
});
