import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import {
  createRecoveryIdentity,
  decrypt,
  iterateFiles,
  kavachSaveShards,
  kavachShardKey,
  type UploadEncryptedOptions,
  upload,
  uploadEncrypted,
} from "../../../src/index.ts";
import { as, saveKey } from "../../../test/kavach/saved-keys.ts";
import { account, devnetForTests, getApiKey } from "../../../test/support/devnet-wire.ts";
import { ensureRecoveryTools } from "../../../test/support/external-tools.mjs";
import { failure } from "../../../test/support/failure.ts";
import { scratch } from "../../../test/support/files.ts";
import { makeRecoveryKit, openRecoveryKit } from "../src/index.ts";
import { openWithoutKeeplight } from "./without-keeplight.ts";

const devnet = devnetForTests();
const { identity, recipient } = await createRecoveryIdentity();
let options: UploadEncryptedOptions & { apiKey: string };
/** Names that would break a line or a path, one of them as it has more bytes than a file system allows. */
const names = [
  "letter.txt",
  "line\nbreak\u2028\r.txt",
  "..\\..\\up.txt",
  "emoji 🔑\u202e.txt",
  `${"長い名前".repeat(40)}.txt`,
  "empty.txt",
];
const contents = names.map((name) => (name.startsWith("empty") ? "" : `content of ${name}`));
const files = names.map((name, at) => ({ name, stream: new Blob([contents[at] ?? ""]).stream() }));
let cids: string[];

beforeAll(async () => {
  ensureRecoveryTools();
  options = { ...as(devnet(), 0), apiKey: await getApiKey(devnet(), account(devnet(), 0)) };
  cids = (await uploadEncrypted(files, options)).map(({ Hash }) => Hash);
  await upload(new File(["public"], "public.txt"), { apiKey: options.apiKey, endpoints: options.endpoints });
});

const owner = () => as(devnet(), 0);

async function withDown<T>(nodes: readonly number[], work: () => Promise<T>): Promise<T> {
  for (const node of nodes) devnet().stopNode(node);
  try {
    return await work();
  } finally {
    for (const node of nodes) devnet().startNode(node);
  }
}

test("all encrypted files of an account, opened by age and Python alone while all five nodes are down", async () => {
  const folder = await scratch();
  const { apiKey, endpoints } = { ...options, ...owner() };
  const to = join(folder, "kit.age");
  const made = await makeRecoveryKit(iterateFiles({ apiKey, endpoints }), { ...owner(), recipients: recipient, to });
  expect(made).toEqual({ kit: { path: to, size: expect.any(Number) }, files: names.length, failures: [] });
  expect((await stat(to)).mode & 0o777).toBe(0o600);
  const opened = await withDown([1, 2, 3, 4, 5], () =>
    openWithoutKeeplight(folder, { kits: [to], identity, gateway: endpoints.gateway }),
  );
  expect(opened.map(({ bytes }) => new TextDecoder().decode(bytes)).sort()).toEqual([...contents].sort());
  expect(opened.map(({ name }) => name).filter((name) => !/^[\p{L}\p{N}_. -]+$/u.test(name))).toEqual([]);
});

test("a kit feeds decrypt, without key nodes and without an owner", async () => {
  const { kit } = await makeRecoveryKit(cids, { ...owner(), passphrase: "correct horse" });
  const opened = await openRecoveryKit(kit, { passphrase: "correct horse" });
  expect(opened.entries.map(({ cid }) => cid)).toEqual(cids);
  expect(opened.entries.map(({ size }) => size)).toEqual(contents.map((text) => new TextEncoder().encode(text).length));
  expect(opened.entries[0]?.name).toBe("letter.txt");
  await withDown([1, 2, 3, 4, 5], async () => {
    for (const [at, cid] of cids.entries()) {
      const bytes = await decrypt(cid, { key: opened.keys(cid), endpoints: devnet().endpoints });
      expect(new TextDecoder().decode(bytes)).toBe(contents[at]);
    }
  });
  const other = "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku";
  expect(() => opened.keys(other)).toThrow(expect.objectContaining({ code: "NOT_IN_KIT", details: { cid: other } }));
});

describe("faulty key nodes", () => {
  test.each([1, 2, 3, 4, 5])("a wrong shard of node %i does not get into the kit", async (node) => {
    const restore = devnet().faults.add({ service: "keyNodes", node, action: { kind: "wrong-shard" } });
    const { kit, files: count } = await makeRecoveryKit(cids, { ...owner(), recipients: [recipient] });
    restore();
    expect(count).toBe(cids.length);
    const opened = await openRecoveryKit(kit, { identity });
    for (const cid of cids) {
      await expect(decrypt(cid, { key: opened.keys(cid), endpoints: devnet().endpoints })).resolves.toBeDefined();
    }
  });

  test.each([1, 2, 3, 4, 5])("a shard of node %i that goes with no other one costs no download", async (node) => {
    const { keyShards } = await kavachShardKey("ab".repeat(16), { scheme: "gf256" });
    const restore = devnet().attacks.add({ kind: "return-shards", shards: { [node]: keyShards[0] } });
    const before = devnet().requests().length;
    const made = await makeRecoveryKit(cids, { ...owner(), recipients: recipient });
    restore();
    expect(made).toMatchObject({ files: cids.length, failures: [] });
    const requests = devnet().requests().slice(before);
    expect(requests.filter(({ service }) => service === "gateway")).toEqual([]);
  });

  test("with three nodes left, of which one is faulty, no wrong key is written", async () => {
    const restore = devnet().faults.add({ service: "keyNodes", node: 3, action: { kind: "wrong-shard" } });
    const failed = await withDown([1, 2], () =>
      failure(makeRecoveryKit(cids, { ...owner(), attempts: 1, recipients: recipient })),
    );
    restore();
    expect(failed.code).toBe("CANNOT_DECRYPT");
  });

  test("three good nodes are enough: the stored file proves the key", async () => {
    const made = await withDown([2, 4], () =>
      makeRecoveryKit(cids, { ...owner(), attempts: 1, recipients: recipient, as: "blob" }),
    );
    expect(made).toMatchObject({ files: cids.length, failures: [] });
    const opened = await openRecoveryKit(made.kit, { identity });
    expect(opened.entries).toHaveLength(cids.length);
  });
});

test("files whose key cannot be recovered are reported, and the others are in the kit", async () => {
  const { cid: withoutFile } = await saveKey(devnet(), { lost: [1, 2, 3] });
  const listed = ["nonsense", cids[0] ?? "", withoutFile, cids[1] ?? ""];
  const { kit, ...made } = await makeRecoveryKit(listed, { ...owner(), attempts: 1, recipients: recipient });
  expect(made).toEqual({
    files: 2,
    failures: [
      { cid: "nonsense", name: null, code: "INVALID_CID", message: "Invalid CID" },
      { cid: withoutFile, name: null, code: "CID_NOT_FOUND", message: "cid not found" },
    ],
  });
  expect((await openRecoveryKit(kit, { identity })).entries.map(({ cid }) => cid)).toEqual(cids.slice(0, 2));
});

test("a name that is too long for a line of a kit is left out, and its key and all others are read", async () => {
  const listed = cids.map((cid) => ({ cid, fileName: "a".repeat(2_000_000), fileSizeInBytes: null, encryption: true }));
  const { kit, ...made } = await makeRecoveryKit(listed, { ...owner(), recipients: recipient });
  expect(made).toEqual({ files: cids.length, failures: [] });
  const { entries, unread } = await openRecoveryKit(kit, { identity });
  expect(entries).toEqual(cids.map((cid) => ({ cid, name: null, size: null })));
  expect(unread).toEqual([]);
});

test("a secret that is no key of a file, which somebody shared, is reported, and does not close the kit", async () => {
  const { cid } = await saveKey(devnet(), { lost: [1, 2, 3, 4, 5] });
  const { keyShards } = await kavachShardKey("ab".repeat(16), { scheme: "gf256" });
  await kavachSaveShards(cid, { ...as(devnet(), 1), keyShards, shareTo: account(devnet(), 0).address });
  const [first = "", second = ""] = cids;
  const { kit, ...made } = await makeRecoveryKit([first, cid, second], { ...owner(), recipients: recipient });
  expect(made).toMatchObject({ files: 2, failures: [{ cid, code: "INVALID_KEY" }] });
  const { entries, unread } = await openRecoveryKit(kit, { identity });
  expect([entries.map((entry) => entry.cid), unread]).toEqual([[first, second], []]);
});

test("if no key can be recovered the call fails, and nothing is written", async () => {
  const folder = await scratch();
  const to = join(folder, "kit.age");
  const error = await withDown([1, 2, 3, 4, 5], () =>
    failure(makeRecoveryKit(cids, { ...owner(), attempts: 1, recipients: recipient, to })),
  );
  expect(error.code).toBe("NODES_FAILED");
  await expect(stat(to)).rejects.toThrow("ENOENT");
});

test.each([0, 1, 3, 5])("an abort after %i files leaves nothing behind, nor does a failing listing", async (count) => {
  const folder = await scratch();
  const abort = new AbortController();
  async function* listed() {
    yield* cids.slice(0, count);
    abort.abort();
    await new Promise(() => undefined);
  }
  async function* failing() {
    yield* cids.slice(0, count);
    throw new RangeError("no more pages");
  }
  const target = { ...owner(), recipients: recipient, to: join(folder, "kit.age") };
  const error = await failure(makeRecoveryKit(listed(), { ...target, signal: abort.signal }));
  expect(error.code).toBe("ABORTED");
  await expect(makeRecoveryKit(failing(), target)).rejects.toThrow("no more pages");
  await expect.poll(() => readdir(folder)).toEqual([]);
});

test("an older kit is never replaced", async () => {
  const to = join(await scratch(), "kit.age");
  await writeFile(to, "older");
  const before = devnet().requests().length;
  const error = await failure(makeRecoveryKit(cids, { ...owner(), recipients: recipient, to }));
  expect(error).toMatchObject({ code: "CANNOT_WRITE", details: { code: "EEXIST" } });
  expect(await readFile(to, "utf8")).toBe("older");
  expect(devnet().requests().length - before).toBeLessThan(4);
});

test("a kit that appears while another is made stays as it is", async () => {
  const to = join(await scratch(), "kit.age");
  async function* list() {
    yield* cids;
    await writeFile(to, "older keys");
  }
  const error = await failure(makeRecoveryKit(list(), { ...owner(), recipients: recipient, to }));
  expect(error).toMatchObject({ code: "CANNOT_WRITE", details: { code: "EEXIST" } });
  expect(await readFile(to, "utf8")).toBe("older keys");
  expect(await readdir(dirname(to))).toEqual(["kit.age"]);
});

test.each([
  ["a recipient that is cut off", { recipients: "age1" }, "recipients"],
  ["no recipient", { recipients: [] }, "recipients"],
  [
    "a recipient with a typing error",
    { recipients: recipient.replace(/.$/, (end) => (end === "q" ? "p" : "q")) },
    "recipients",
  ],
  ["an empty passphrase", { passphrase: "" }, "passphrase"],
  ["a passphrase beside recipients", { passphrase: "a", recipients: recipient }, "passphrase"],
  ["nobody", {}, "recipients"],
])("who can open the kit is checked before anything is sent: %s", async (_, target, option) => {
  const before = devnet().requests().length;
  const error = await failure(makeRecoveryKit(cids, { ...owner(), ...target } as never));
  expect(error).toMatchObject({ code: "INVALID_OPTION", details: { option } });
  expect(devnet().requests()).toHaveLength(before);
});
