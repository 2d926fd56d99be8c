import { lstat, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Wallet } from "ethers";
import { afterEach, expect, test, vi } from "vitest";
import {
  backupFolder,
  checkBackups,
  listSnapshots,
  previewPrune,
  pruneBackups,
  restoreBackup,
} from "../../packages/backup/src/index.ts";
import { deleteListed, prepareBackup, readTree } from "../../packages/backup/test/rig.ts";
import { iterateFiles, uploadEncrypted } from "../../src/index.ts";
import { devnetForTests } from "../support/devnet-wire.ts";
import { failure } from "../support/failure.ts";

const devnet = devnetForTests();

/** Prepares a folder to back up, and an account of its own. */
const prepare = (files: Readonly<Record<string, string>>) =>
  prepareBackup(devnet(), files, { owner: Wallet.createRandom() });

afterEach(() => {
  devnet().faults.clear();
  devnet().attacks.clear();
});

type Prepared = Awaited<ReturnType<typeof prepareBackup>>;

const withoutState = ({ options: { state: _, ...own } }: Prepared) => own;

/** Stores a file of Mallory's under a name in another account's listing, and shares it with that account. */
async function plant(name: string, content: string, victim: Prepared): Promise<string> {
  const mallory = await prepare({});
  const { apiKey } = victim.options;
  const shareTo = [victim.options.signer.address] as const;
  const [stored] = await uploadEncrypted(new File([content], name), { ...withoutState(mallory), apiKey, shareTo });
  return stored.Hash;
}

async function listPacks({ options: { apiKey, endpoints } }: Prepared): Promise<string[]> {
  const packs: string[] = [];
  for await (const { cid, fileName } of iterateFiles({ apiKey, endpoints }))
    if (fileName?.endsWith(".pack")) packs.push(cid);
  return packs;
}

const hash = "a7937b64b8caa58f03721bb6bacf5c78cb235febe0e70b1b84cd99541461a08e";

/** A snapshot of the first format with empty files at these paths. */
function describeFirst(paths: readonly string[]): string {
  const header = { type: "keeplight snapshot", version: 1, set: "0".repeat(16), name: "mine", createdAt: 1 };
  const entries = paths.map((path) => ({ kind: "file", path, mode: 0o600, mtime: 0, size: 0, sha256: hash }));
  const lines = [{ ...header, files: paths.length, bytes: 0 }, ...entries];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

const FIRST_NAME = `keeplight-backup-${"0".repeat(16)}.1.snapshot`;

test("a key of backups that a stranger made, listed in the account and shared with it", async () => {
  const alice = await prepare({ a: "one" });
  const id = "0".repeat(16);
  const content = { type: "keeplight backups", version: 1, id, secret: "1".repeat(64), createdAt: 1 };
  await plant(`keeplight-backups-${id}.repository`, JSON.stringify(content), alice);
  await backupFolder(alice.folder, alice.options);
  const used = JSON.parse(await readFile(join(alice.options.state, "repository.json"), "utf8"));
  expect([used.id === id, used.secret === content.secret]).toEqual([false, false]);
});

test("a snapshot that a stranger made and shared, of the first format, listed in the account", async () => {
  const alice = await prepare({});
  const cid = await plant(FIRST_NAME, describeFirst(["a"]), alice);
  expect(await listSnapshots(withoutState(alice))).toEqual({
    snapshots: [],
    unread: [{ cid: expect.any(String), code: "INVALID_SNAPSHOT" }],
  });
  // Its files are wrong, too: an empty one has another hash.
  expect((await failure(restoreBackup(cid, join(alice.place, "to"), alice.reader))).code).toBe("RESTORE_UNFINISHED");
});

test("other bytes under the content ids of packs of backups", async () => {
  const files = { a: "x".repeat(100_000), b: "y".repeat(100_000) };
  const alice = await prepare(files);
  await backupFolder(alice.folder, alice.options);
  const [pack = ""] = await listPacks(alice);
  await writeFile(join(alice.folder, "b"), "z".repeat(100_000));
  const { cid } = await backupFolder(alice.folder, alice.options);
  for (const at of [0, -1]) {
    const flip = (bytes: Uint8Array) => bytes.with(at, (bytes.at(at) ?? 0) ^ 1);
    const change = (block: { cid: string; bytes: Uint8Array }) => [{ ...block, bytes: flip(block.bytes) }];
    devnet().attacks.add({ kind: "tamper-blocks", cid: pack, change });
    const to = join(alice.place, `to${at}`);
    const error = await failure(restoreBackup(cid, to, alice.reader));
    expect(error).toMatchObject({ code: "RESTORE_UNFINISHED", details: { failed: [{ path: "a" }] } });
    expect(Object.keys(await readTree(to))).toEqual(["b"]);
    expect(await readFile(join(to, "b"), "utf8")).toBe("z".repeat(100_000));
    const { problems } = await checkBackups(withoutState(alice));
    expect(problems).toContainEqual(expect.objectContaining({ cid: pack, kind: "pack" }));
    devnet().attacks.clear();
  }
});

test("a pack of backups that is gone from the listing", async () => {
  const alice = await prepare({ a: "one" });
  const { cid } = await backupFolder(alice.folder, alice.options);
  await deleteListed(alice.options, ({ fileName }) => fileName?.endsWith(".pack") === true);
  expect((await checkBackups(withoutState(alice))).problems).toMatchObject([{ cid, kind: "snapshot" }]);
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 7_200_000 });
  await backupFolder(alice.folder, alice.options).finally(() => vi.useRealTimers());
  // The earlier snapshot still names the pack; the new one does not.
  expect((await checkBackups(withoutState(alice))).problems.map((each) => each.cid)).toEqual([cid]);
  const [newest] = (await listSnapshots(withoutState(alice))).snapshots;
  await restoreBackup(newest?.cid ?? "", alice.place, alice.reader);
  expect(await readFile(join(alice.place, "a"), "utf8")).toBe("one");
});

test("a snapshot of backups hidden from the listing", async () => {
  const alice = await prepare({ a: "one" });
  const { cid } = await backupFolder(alice.folder, alice.options);
  devnet().attacks.add({ kind: "tamper-record", cid, claims: null });
  expect(await listSnapshots(withoutState(alice))).toEqual({ snapshots: [], unread: [] });
  expect((await checkBackups(withoutState(alice))).problems).toEqual([]);
  expect(await previewPrune({ ...alice.options, graceMs: 0 })).toMatchObject({ marked: 1, deleted: 0 });
  expect(await pruneBackups(alice.options)).toMatchObject({ marked: 0, deleted: 0 });
  expect(await restoreBackup(cid, join(alice.place, "to"), alice.reader)).toMatchObject({ restored: 1 });
});

test("a snapshot that leads out of the folder, or through a link", async () => {
  const alice = await prepare({});
  const store = async (paths: readonly string[]) => {
    const [stored] = await uploadEncrypted(new File([describeFirst(paths)], FIRST_NAME), withoutState(alice));
    return stored.Hash;
  };
  const to = join(alice.place, "inside", "to");
  const out = await failure(restoreBackup(await store(["../a"]), to, alice.reader));
  expect(out.code).toBe("INVALID_SNAPSHOT");
  expect(await lstat(join(alice.place, "inside")).catch(({ code }) => code)).toBe("ENOENT");
  await mkdir(join(alice.place, "elsewhere"), { recursive: true });
  await mkdir(to, { recursive: true });
  await symlink(join(alice.place, "elsewhere"), join(to, "link"));
  const through = await failure(restoreBackup(await store(["link/a"]), to, { ...alice.reader, overwrite: true }));
  expect(through.code).toBe("FILE_EXISTS");
  expect(await readTree(join(alice.place, "elsewhere"))).toEqual({});
});
