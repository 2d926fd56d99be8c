import { writeFileSync } from "node:fs";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { devnetForTests } from "../../../../test/support/devnet-wire.ts";
import { failure } from "../../../../test/support/failure.ts";
import { backupFolder, listSnapshots, pruneSnapshots, restoreBackup } from "../../src/backup/index.ts";
import { countUploads } from "../rig.ts";
import { prepareBackup, readTree } from "./rig.ts";

const devnet = devnetForTests({ unkind: true });

afterEach(() => {
  devnet().faults.clear();
  devnet().attacks.clear();
});

function manyFiles(count: number) {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`d${at % 7}/f${at}.txt`, `file ${at}`]));
}

test("an aborted backup continues, and sends nothing again", async () => {
  const { place, folder, options, reader } = await prepareBackup(devnet(), manyFiles(1_200));
  const abort = new AbortController();
  const onProgress = ({ phase, files }: { phase: string; files: number }) => {
    if (phase === "sending" && files > 0) abort.abort();
  };
  const stopped = backupFolder(folder, { ...options, workers: 1, signal: abort.signal, onProgress });
  expect((await failure(stopped)).code).toBe("ABORTED");
  const before = countUploads(devnet());
  await writeFile(join(folder, "d0", "f0.txt"), "changed meanwhile");
  const { cid, sent, files } = await backupFolder(folder, options);
  expect(files).toBe(1_200);
  // Those of both calls; the changed file may have been sent in both versions.
  expect([1_200, 1_201]).toContain(sent);
  // At most one batch is left, a batch of the changed file, and the snapshot.
  expect(countUploads(devnet()) - before).toBeLessThanOrEqual(3);
  await restoreBackup(cid, join(place, "to"), reader);
  expect(await readTree(join(place, "to"))).toEqual(await readTree(folder));
});

test("files that could not be stored end the backup, and the same call continues it", async () => {
  const { place, folder, options, reader } = await prepareBackup(devnet(), { a: "one", b: "two" });
  const other = "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e";
  devnet().attacks.add({
    kind: "misreport-upload",
    change: (items) => items.map((item) => ({ ...item, Hash: other })),
  });
  const failed = await failure(backupFolder(folder, options));
  expect(failed).toMatchObject({ code: "BACKUP_UNFINISHED", details: { files: 2, reason: "CID_MISMATCH" } });
  devnet().attacks.clear();
  const { cid, sent } = await backupFolder(folder, options);
  expect(sent).toBe(2);
  await restoreBackup(cid, join(place, "to"), reader);
  expect(await readTree(join(place, "to"))).toEqual(await readTree(folder));
});

test("a snapshot that is stored has its key, even if the backup ends before it knows", async () => {
  const { place, folder, options, reader } = await prepareBackup(devnet(), { a: "one" });
  const { state: _, ...account } = options;
  const own = (cids: readonly string[], list: { cid: string }[]) => list.filter(({ cid }) => !cids.includes(cid));
  const earlier = await listSnapshots(account);
  const known = [...earlier.snapshots, ...earlier.unread].map(({ cid }) => cid);
  // The batch is stored as usual.
  const action = { kind: "respond", status: 500, served: true } as const;
  devnet().faults.add({ service: "upload", after: 1, action });
  expect((await failure(backupFolder(folder, { ...options, attempts: 1 }))).code).toBe("HTTP_STATUS");
  devnet().faults.clear();
  const { snapshots, unread } = await listSnapshots(account);
  expect(own(known, unread)).toEqual([]);
  const [stored, ...others] = own(known, snapshots);
  expect(others).toEqual([]);
  await restoreBackup(stored?.cid ?? "", join(place, "to"), reader);
  expect(await readTree(join(place, "to"))).toEqual(await readTree(folder));
  await backupFolder(folder, options);
  expect(await pruneSnapshots({ ...options, keep: 1 })).toEqual({ kept: 1, snapshots: 1, batches: 0 });
});

test("a snapshot whose key is not saved is not stored", async () => {
  const { folder, options } = await prepareBackup(devnet(), { a: "one" });
  const { state: _, ...account } = options;
  const before = await listSnapshots(account);
  const path = "/api/setSharedKey/3";
  devnet().faults.add({ service: "keyNodes", path, action: { kind: "respond", status: 500, json: { message: "no" } } });
  expect((await failure(backupFolder(folder, { ...options, attempts: 1 }))).code).toBe("SHARDS_NOT_SAVED");
  devnet().faults.clear();
  expect(await listSnapshots(account)).toEqual(before);
  expect(await backupFolder(folder, options)).toMatchObject({ files: 1, sent: 0 });
});

test("a file that changes while it is sent stays in its last version", async () => {
  const { place, folder, options, reader } = await prepareBackup(devnet(), { a: "one", b: "two" });
  await backupFolder(folder, options);
  await writeFile(join(folder, "a"), "one, changed");
  await writeFile(join(folder, "c"), "three");
  const onProgress = ({ phase }: { phase: string }) => {
    if (phase !== "listing") return;
    writeFileSync(join(folder, "a"), "one, changed again");
    writeFileSync(join(folder, "c"), "THREE");
  };
  const { cid, sent, skipped, files } = await backupFolder(folder, { ...options, onProgress });
  expect({ sent, files }).toEqual({ sent: 0, files: 2 });
  expect(skipped).toEqual(["a", "c"].map((path) => ({ path, code: "SOURCE_CHANGED" })));
  await restoreBackup(cid, join(place, "to"), reader);
  expect(await readFile(join(place, "to", "a"), "utf8")).toBe("one");
  expect(await backupFolder(folder, options)).toMatchObject({ sent: 2, skipped: [], files: 3 });
});

test("a file that cannot be read is named, and the others are backed up", async () => {
  const { folder, options } = await prepareBackup(devnet(), { a: "one" });
  // No string stands for a name that is not UTF-8.
  await writeFile(Buffer.from([...new TextEncoder().encode(`${folder}/`), 0xff]), "two");
  const { files, skipped } = await backupFolder(folder, options);
  expect(files).toBe(1);
  expect(skipped).toEqual([{ path: "\uFFFD", code: "SOURCE_UNREADABLE" }]);
});

test("state is for one folder, one call at a time, and one network", async () => {
  const { place, folder, options } = await prepareBackup(devnet(), { a: "one" });
  const [first, second] = await Promise.allSettled([backupFolder(folder, options), backupFolder(folder, options)]);
  expect([first.status, second.status].sort()).toEqual(["fulfilled", "rejected"]);
  await mkdir(join(place, "other"));
  expect((await failure(backupFolder(join(place, "other"), options))).code).toBe("INVALID_OPTION");
  devnet().faults.add({ service: "api", path: "/api/lighthouse/file_info", action: { kind: "respond", status: 404 } });
  expect((await failure(backupFolder(folder, options))).code).toBe("INVALID_OPTION");
});

test("the state may be in the folder itself: it is left out", async () => {
  const { folder, options } = await prepareBackup(devnet(), { a: "one" });
  const own = { ...options, state: join(folder, ".state") };
  expect(await backupFolder(folder, own)).toMatchObject({ files: 1, sent: 1 });
  expect(await readdir(own.state)).not.toContain("run");
  await rm(join(folder, "a"));
  expect(await backupFolder(folder, own)).toMatchObject({ files: 0 });
});
