import { expect, test, vi } from "vitest";
import { devnetForTests } from "../../../test/support/devnet-wire.ts";
import { scratch } from "../../../test/support/files.ts";
import {
  allPaths,
  changeRows,
  createBarrier,
  createOwner,
  forge,
  hostileApi,
  killUpload,
  listVersions,
  paths,
  startProxy,
  text,
  toJson,
} from "./attack-rig.ts";

const devnet = devnetForTests();

test("a version that could not be published under its name is no rollback", async () => {
  const { owner, proxy, changes } = await hostileApi(devnet());
  const folder = await scratch();
  const { drive } = await owner.open(folder, changes);
  await drive.createFolder("A");
  await drive.sync();
  proxy.intercept = async (request, send) =>
    request.path.includes("publish_record") ? toJson({ error: "busy" }, 500) : send();
  await drive.createFolder("B");
  await drive.sync();
  await drive.close();
  const { drive: again } = await owner.open(folder, changes);
  expect(again.status().problems).toEqual([]);
  await again.close();
});

test("two devices that publish in another order than they store is no rollback", async () => {
  const { owner, proxy, changes } = await hostileApi(devnet());
  const one = await owner.open(await scratch(), changes);
  await one.drive.createFolder("A");
  await one.drive.sync();
  const two = await owner.open(await scratch());
  const barrier = createBarrier();
  const held = createBarrier();
  proxy.intercept = async (request, send) => {
    if (!request.path.includes("publish_record")) return send();
    held.open();
    await barrier.opened;
    return send();
  };
  await one.drive.createFolder("B");
  const synced = one.drive.sync();
  await held.opened;
  const folder = await scratch();
  const three = await owner.open(folder);
  await three.drive.createFolder("C");
  await three.drive.sync();
  await three.drive.close();
  proxy.intercept = undefined;
  barrier.open();
  await synced;
  const again = await owner.open(folder);
  expect(again.drive.status().problems).toEqual([]);
  await again.drive.close();
  await two.drive.close();
});

test("a listing that lags behind what was stored before a restart is no rollback", async () => {
  const { owner, proxy, changes } = await hostileApi(devnet());
  const folder = await scratch();
  const { drive } = await owner.open(folder, changes);
  await drive.createFolder("A");
  await drive.sync();
  const before = new Set((await listVersions(owner)).map(({ cid }) => cid));
  await drive.createFolder("B");
  await drive.sync();
  await drive.close();
  const { drive: again } = await owner.open(folder, changes);
  expect(again.status().problems).toEqual([]);
  proxy.intercept = changeRows((rows) =>
    rows.filter(({ cid, fileName }) => fileName !== "keeplight-drive" || before.has(cid)),
  );
  const problems: unknown[] = [];
  again.subscribe(() => problems.push(...again.status().problems));
  const count = (await listVersions(owner)).length;
  await again.sync();
  expect([...problems, ...again.status().problems]).toEqual([]);
  // It would be stored once more.
  expect((await listVersions(owner)).length).toBe(count);
  await again.close();
});

test("a withheld newest version is reported by the call that notices it", async () => {
  const { owner, proxy, changes } = await hostileApi(devnet());
  const folder = await scratch();
  const { drive } = await owner.open(folder, changes);
  await drive.createFolder("A");
  await drive.sync();
  const before = new Set((await listVersions(owner)).map(({ cid }) => cid));
  await drive.createFolder("B");
  await drive.sync();
  await drive.close();
  const { drive: again } = await owner.open(folder, changes);
  proxy.intercept = changeRows((rows) =>
    rows.filter(({ cid, fileName }) => fileName !== "keeplight-drive" || before.has(cid)),
  );
  const reported: string[] = [];
  again.subscribe(() => reported.push(...again.status().problems.map(({ kind }) => kind)));
  // Long after it was stored.
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_600_000 });
  await again.sync().finally(() => vi.useRealTimers());
  expect(reported).toContain("rollback");
  expect(again.status().problems.map(({ kind }) => kind)).toContain("rollback");
  expect(allPaths(again)).toEqual(["A", "B"]);
  await again.close();
});

test.each([
  ["a version that no gateway serves", {}],
  ["a version without a content id", { cid: "" }],
  ["a key without a content id", { cid: "", fileName: "keeplight-drive-key", encryption: true }],
  ["a key that no node has", { fileName: "keeplight-drive-key", encryption: true }],
])("a listing with %s keeps no change from being stored", async (_, row) => {
  const { owner, proxy, changes } = await hostileApi(devnet());
  const { drive } = await owner.open(await scratch(), { ...changes, timeoutMs: 3_000 });
  await drive.createFolder("A");
  await drive.sync();
  proxy.intercept = changeRows((rows) => [forge(row), ...rows]);
  await drive.createFolder("B");
  await drive.sync().catch(() => undefined);
  expect(drive.status().unsaved).toBe(false);
  // Nor does it keep the drive from being opened elsewhere.
  const { drive: other } = await owner.open(await scratch(), { ...changes, timeoutMs: 3_000 });
  expect(allPaths(other)).toEqual(["A", "B"]);
});

test("a name that leads to content that no gateway serves keeps no change from being stored", async () => {
  const { owner, proxy, changes } = await hostileApi(devnet());
  const { drive } = await owner.open(await scratch(), { ...changes, timeoutMs: 3_000 });
  await drive.createFolder("A");
  await drive.sync();
  proxy.intercept = async (request, send) => {
    const served = await send();
    if (!request.path.includes("get_ipns_records")) return served;
    const records = JSON.parse(String(served.body)) as object[];
    return toJson(records.map((record) => ({ ...record, cid: forge({}).cid })));
  };
  await drive.createFolder("B");
  await drive.close().catch(() => undefined);
  expect(drive.status().unsaved).toBe(false);
});

test("a version whose key the listing did not have yet is read once it has it", async () => {
  const { owner, proxy, changes } = await hostileApi(devnet());
  // Two devices that create the drive at once: each before the listing has the key of the other.
  proxy.intercept = changeRows(() => []);
  const [one, two] = await Promise.all([owner.open(await scratch(), changes), owner.open(await scratch(), changes)]);
  await one.drive.createFolder("One");
  await two.drive.createFolder("Two");
  await one.drive.sync();
  await two.drive.sync();
  // The listing has the versions, but not the keys; then all of it.
  proxy.intercept = changeRows((rows) => rows.filter(({ fileName }) => fileName === "keeplight-drive"));
  await one.drive.sync();
  proxy.intercept = undefined;
  await one.drive.sync();
  expect(allPaths(one.drive)).toEqual(["One", "Two"]);
  expect(one.drive.status().problems).toEqual([]);
});

test("a sync that finds a file while its add runs takes nothing from what add returns and notes", async () => {
  const owner = await createOwner(devnet());
  const barrier = createBarrier();
  const held = createBarrier();
  const { drive } = await owner.open(await scratch());
  const gateway = await startProxy(devnet().endpoints.upload);
  const slow = await owner.open(await scratch(), { endpoints: { ...devnet().endpoints, upload: gateway.url } });
  gateway.intercept = async (request, send) => {
    const served = await send();
    if (!String(request.body).includes("keeplight-drive") && request.method === "POST") {
      held.open();
      await barrier.opened;
    }
    return served;
  };
  const adding = slow.drive.add(text("content", "a.txt"));
  await held.opened;
  await slow.drive.sync();
  barrier.open();
  const added = await adding;
  expect(paths(added)).toEqual(["a.txt"]);
  const found = slow.drive.find("a.txt");
  expect(found).toMatchObject({ size: 7, commitment: expect.any(String) });
  expect(slow.drive.versions("a.txt")).toHaveLength(1);
  await drive.close();
});

test("a listing that gives the random name of a file another content id does not take its name from it", async () => {
  const { owner, proxy, changes } = await hostileApi(devnet());
  const folder = await scratch();
  const [other] = await owner.kit.uploadEncrypted(text("another file", "other.txt"));
  await killUpload(devnet(), owner, folder, (drive) => drive.add(text("content", "a.txt")));
  await owner.resumeAll(folder);
  const two = await owner.open(folder, changes);
  proxy.intercept = changeRows((rows) =>
    rows.map((row) => (/^[0-9a-f]{32}$/.test(row.fileName) ? { ...row, cid: other?.Hash ?? "" } : row)),
  );
  await two.drive.sync();
  proxy.intercept = undefined;
  await two.drive.sync();
  const found = two.drive.find("a.txt");
  if (found?.type !== "file") throw new Error("not found");
  expect(new TextDecoder().decode(await owner.kit.decrypt(found.cid))).toBe("content");
});
