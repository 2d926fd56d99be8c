import { execFileSync } from "node:child_process";
import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { inspect } from "node:util";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { openRecoveryKit } from "../../packages/recovery/src/index.ts";
import { folderCommand, openWithoutKeeplight, runScript } from "../../packages/recovery/test/without-keeplight.ts";
import {
  createKit,
  createRecoveryIdentity,
  decrypt,
  openJournal,
  type UnfinishedUpload,
  type UploadEncryptedOptions,
  uploadEncrypted,
  uploadTextEncrypted,
} from "../../src/index.ts";
import { as } from "../kavach/saved-keys.ts";
import { account, devnetForTests, getApiKey } from "../support/devnet-wire.ts";
import { ensureRecoveryTools } from "../support/external-tools.mjs";
import { failure } from "../support/failure.ts";
import { scratch } from "../support/files.ts";

const devnet = devnetForTests();
const { identity, recipient } = await createRecoveryIdentity();
const filesOf = (count: number) => Array.from({ length: count }, (_, at) => new File([`file ${at}`], `${at}.txt`));
let options: UploadEncryptedOptions & { apiKey: string };

beforeAll(async () => {
  ensureRecoveryTools();
  options = { ...as(devnet(), 0), apiKey: await getApiKey(devnet(), account(devnet(), 0)), attempts: 1 };
});

const withRecovery = (recoveryTo: NonNullable<UploadEncryptedOptions["recoveryTo"]>): UploadEncryptedOptions => ({
  ...options,
  recovery: recipient,
  recoveryTo,
});

async function withDown<T>(nodes: readonly number[], work: () => Promise<T>): Promise<T> {
  for (const node of nodes) devnet().stopNode(node);
  try {
    return await work();
  } finally {
    for (const node of nodes) devnet().startNode(node);
  }
}

test("each upload adds one file to the folder, which age, Python and openRecoveryKit read", async () => {
  const folder = await scratch();
  const first = await uploadEncrypted(filesOf(3), withRecovery(folder));
  const { apiKey } = options;
  const defaults = { ...as(devnet(), 0), apiKey, recovery: recipient, recoveryTo: pathToFileURL(folder) };
  const kit = createKit(defaults);
  const second = await kit.uploadTextEncrypted("text", { name: "line\nbreak.txt" });
  const added = await readdir(folder);
  expect(added).toHaveLength(2);
  expect(added.filter((name) => !/^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z-[0-9a-f]{16}\.age$/.test(name))).toEqual([]);
  for (const name of added) expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);

  const opened = await openRecoveryKit(folder, { identity });
  const chunkProfile = "1-262144-174";
  expect(opened.entries).toEqual([
    ...first.map(({ Hash: cid, Name: name }) => ({ cid, name, size: 6, chunkProfile })),
    ...second.map(({ Hash: cid }) => ({ cid, name: "line\nbreak.txt", size: 4, chunkProfile })),
  ]);
  const { endpoints } = devnet();
  const kits = added.map((name) => join(folder, name));
  await withDown([1, 2, 3, 4, 5], async () => {
    const plain = await openWithoutKeeplight(join(await scratch(), "out"), {
      kits,
      identity,
      gateway: endpoints.gateway,
    });
    expect(plain.map(({ bytes }) => new TextDecoder().decode(bytes))).toEqual(["file 0", "file 1", "file 2", "text"]);
    const [{ Hash }] = second;
    expect(await decrypt(Hash, { key: opened.keys(Hash), endpoints })).toEqual(new TextEncoder().encode("text"));
  });
});

test("age and Python alone open what a stranger added files to", async () => {
  const base = await scratch();
  const folder = join(base, "recovery");
  await mkdir(folder);
  await uploadEncrypted(new File(["secret"], "a.txt"), withRecovery(folder));
  const encrypt = (text: string | Uint8Array) => execFileSync("age", ["-r", recipient], { input: text });
  await writeFile(join(folder, "0.age"), encrypt(Uint8Array.of(0xff, 0x0a)));
  await writeFile(join(folder, "1.age"), encrypt(`{"cid":1,"name":2}\n${"[".repeat(9_999)}\n[]\nnull\n`));
  // The next one is the kit's own.
  await writeFile(join(folder, "2.age"), encrypt("no line ends here"));
  await writeFile(join(folder, "3.age"), encrypt("cut off").subarray(0, -1));
  await writeFile(join(base, "identity.txt"), `${identity}\n`);
  execFileSync("sh", ["-c", folderCommand()], { cwd: base, stdio: "ignore" });
  const { gateway } = devnet().endpoints;
  const opened = join(base, "opened");
  await expect(runScript(base, "open.py", [join(base, "keys.jsonl"), `${gateway}/ipfs/`, opened])).rejects.toThrow(
    "files could not be opened",
  );
  const [name = "", ...others] = await readdir(opened);
  expect([name.slice(-5), others, await readFile(join(opened, name), "utf8")]).toEqual(["a.txt", [], "secret"]);
});

test("many uploads at once each add their own file", async () => {
  const folder = await scratch();
  await Promise.all(Array.from({ length: 10 }, (_, at) => uploadTextEncrypted(`text ${at}`, withRecovery(folder))));
  expect((await openRecoveryKit(folder, { identity })).entries).toHaveLength(10);
});

test("a function can store the entry, as in a page", async () => {
  const stored: Blob[] = [];
  const [file] = await uploadTextEncrypted(
    "text",
    withRecovery(async (message, name) => void stored.push(new File([message], name))),
  );
  const opened = await openRecoveryKit(stored, { identity });
  expect(opened.entries).toEqual([{ cid: file.Hash, name: "text.txt", size: 4, chunkProfile: "1-262144-174" }]);
});

test("an entry that cannot be written does not lose the upload: its keys are saved, and resume() writes the entry", async () => {
  const folder = join(await scratch(), "kit");
  await mkdir(folder);
  // The folder is removed once the upload has started.
  const onProgress = () => void rm(folder, { recursive: true, force: true });
  const error = await failure(uploadEncrypted(filesOf(2), { ...withRecovery(folder), onProgress }));
  expect(error).toMatchObject({ code: "RECOVERY_NOT_WRITTEN", cause: { code: "CANNOT_WRITE" } });
  const stored = error.details["stored"] as { Hash: string }[];
  for (const [at, { Hash }] of stored.entries()) {
    expect(new TextDecoder().decode(await decrypt(Hash, as(devnet(), 0)))).toBe(`file ${at}`);
  }
  const elsewhere = await scratch();
  const before = devnet().requests().length;
  const resumed = await (error as UnfinishedUpload).resume({ recoveryTo: elsewhere, onProgress: undefined });
  expect(resumed.map(({ Hash }) => Hash)).toEqual(stored.map(({ Hash }) => Hash));
  expect(devnet().requests().length - before).toBeLessThanOrEqual(3);
  expect((await openRecoveryKit(elsewhere, { identity })).entries).toHaveLength(2);
});

test("a folder that was relative is the same one for a process with another working directory", async () => {
  const [folder, journalFolder] = [await scratch(), await scratch()];
  const journal = await openJournal({ folder: journalFolder });
  const recoveryTo = relative(process.cwd(), folder);
  const error = await withDown([2], () =>
    failure(uploadEncrypted(filesOf(1), { ...withRecovery(recoveryTo), journal })),
  );
  expect(error.code).toBe("SHARDS_NOT_SAVED");
  await rm(folder, { recursive: true });
  await mkdir(folder);
  const before = process.cwd();
  process.chdir(journalFolder);
  onTestFinished(() => process.chdir(before));
  expect(await journal.resumeAll(as(devnet(), 0))).toMatchObject([{ kind: "upload", result: [{ Name: "0.txt" }] }]);
  expect((await openRecoveryKit(folder, { identity })).entries).toHaveLength(1);
});

test("if neither the entry nor the shards can be saved, resume() does both, and the error shows no key", async () => {
  let keysOf = (): unknown => undefined;
  const written: Uint8Array[] = [];
  const broken = withRecovery(async () => {
    throw new Error("no room");
  });
  const error = await withDown([2], () => failure(uploadEncrypted(filesOf(1), broken)));
  expect(error.code).toBe("SHARDS_NOT_SAVED");
  const again = { recoveryTo: async (message: Uint8Array) => void written.push(message) };
  const [file] = await (error as UnfinishedUpload).resume(again);
  expect(written).toHaveLength(1);
  const kit = await openRecoveryKit(written[0] as Uint8Array, { identity });
  keysOf = () => kit.keys(file.Hash)[0];
  expect(inspect(error, { depth: 20, showHidden: true }) + JSON.stringify(error)).not.toContain(keysOf());
  expect(inspect(kit, { depth: 20, showHidden: true }) + JSON.stringify(kit)).not.toContain(keysOf());
});

test("an entry that was written is not written again by resume()", async () => {
  const folder = await scratch();
  const error = await withDown([4], () => failure(uploadEncrypted(filesOf(1), withRecovery(folder))));
  expect(error.code).toBe("SHARDS_NOT_SAVED");
  expect(await readdir(folder)).toHaveLength(1);
  await (error as UnfinishedUpload).resume();
  expect(await readdir(folder)).toHaveLength(1);
});

test("an abort while the entry is stored can be resumed", async () => {
  const abort = new AbortController();
  const hanging = withRecovery(() => {
    abort.abort();
    return new Promise(() => undefined);
  });
  const error = await failure(uploadEncrypted(filesOf(1), { ...hanging, signal: abort.signal }));
  expect(error.code).toBe("ABORTED");
  const folder = await scratch();
  const [file] = await (error as UnfinishedUpload).resume({ recoveryTo: folder });
  const opened = await openRecoveryKit(folder, { identity });
  const bytes = await decrypt(file.Hash, { key: opened.keys(file.Hash), endpoints: devnet().endpoints });
  expect(new TextDecoder().decode(bytes)).toBe("file 0");
});

test.each([
  ["a folder that does not exist", { recovery: recipient, recoveryTo: "/nowhere/at/all" }, "CANNOT_WRITE"],
  ["no folder", { recovery: recipient }, "INVALID_OPTION"],
  ["a folder without a recipient", { recoveryTo: "." }, "INVALID_OPTION"],
  ["an identity instead of a recipient", { recovery: identity, recoveryTo: "." }, "INVALID_OPTION"],
  ["a malformed recipient", { recovery: ["age1"], recoveryTo: "." }, "INVALID_OPTION"],
])("%s is refused before anything is sent", async (_, wrong, code) => {
  const before = devnet().requests().length;
  const error = await failure(uploadEncrypted(filesOf(1), { ...options, ...wrong } as never));
  expect(error.code).toBe(code);
  expect(inspect(error, { depth: 20, showHidden: true })).not.toContain(identity);
  expect(devnet().requests()).toHaveLength(before);
});

test("nothing readable is on the disk", async () => {
  const folder = await scratch();
  await uploadEncrypted(filesOf(1), withRecovery(folder));
  const [name = ""] = await readdir(folder);
  const text = await readFile(join(folder, name), "latin1");
  expect(text).toMatch(/^age-encryption\.org\/v1\n-> X25519 /);
  expect(text).not.toContain("masterKey");
});
