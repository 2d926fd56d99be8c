import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openRecoveryKit } from "../../packages/recovery/src/index.ts";
import {
  createRecoveryIdentity,
  decrypt,
  iterateFiles,
  type ListedFile,
  openJournal,
  type UnfinishedUpload,
  uploadEncrypted,
  uploadEncryptedFolder,
  uploadTextEncrypted,
} from "../../src/index.ts";
import { as } from "../kavach/saved-keys.ts";
import { account, devnetForTests, getApiKey } from "../support/devnet-wire.ts";
import { failure } from "../support/failure.ts";
import { scratch } from "../support/files.ts";
import { createServer, endpointsAt } from "../support/http-server.ts";
import { createMemoryNetwork } from "../support/net-memory.ts";

const devnet = devnetForTests();

const access = async () => ({ ...as(devnet(), 1), apiKey: await getApiKey(devnet(), account(devnet(), 1)) });
const options = async () => ({ ...(await access()), names: "hidden" as const });

async function listAll() {
  const rows: ListedFile[] = [];
  const { apiKey, endpoints } = await options();
  for await (const row of iterateFiles({ apiKey, endpoints })) rows.push(row);
  return rows;
}

const RANDOM = /^[0-9a-f]{32}$/;

/** A folder on the disk whose paths are all secret. */
async function createFolder(): Promise<string> {
  const folder = join(await scratch(), "Secret-Photos");
  await mkdir(join(folder, "Berlin"), { recursive: true });
  await writeFile(join(folder, "salary.txt"), "one");
  await writeFile(join(folder, "Berlin", "salary.txt"), "two");
  return folder;
}

test("the network receives random names and no media type; the result has the real names", async () => {
  const own = await options();
  const [text] = await uploadTextEncrypted("hello", { ...own, name: "diary.txt" });
  const files = await uploadEncrypted(await createFolder(), own);
  expect(text.Name).toBe("diary.txt");
  expect(files.map(({ Name }) => Name).sort()).toEqual(["Secret-Photos/Berlin/salary.txt", "Secret-Photos/salary.txt"]);
  const listed = await listAll();
  for (const { Hash } of [text, ...files]) {
    const row = listed.find(({ cid }) => cid === Hash);
    expect(row?.fileName).toMatch(RANDOM);
    expect(row?.mimeType ?? "application/octet-stream").toBe("application/octet-stream");
  }
  expect(new TextDecoder().decode(await decrypt(text.Hash, as(devnet(), 1)))).toBe("hello");
});

test("no request of an upload has a name, a folder or a type in any part", async () => {
  const network = await createMemoryNetwork();
  const own = { ...(await options()), endpoints: endpointsAt(network.url), address: account(devnet(), 1).address };
  const { signer: _, ...rest } = own;
  const access = { ...rest, authToken: "header.payload.signature" };
  await uploadEncrypted(await createFolder(), access);
  await uploadEncryptedFolder(await createFolder(), access);
  await uploadEncrypted(new File(["x"], "diary.txt", { type: "text/plain" }), access);
  const sent = network.requests.map(({ path, query, headers, body }) =>
    JSON.stringify([path, String(query), headers, body.toString("latin1")]),
  );
  expect(sent.length).toBeGreaterThan(10);
  for (const request of sent) expect(request).not.toMatch(/salary|secret-photos|berlin|diary|text\/plain|mime-type/i);
});

test("files of two folders may have one name, but no two files one path", async () => {
  const own = await options();
  const file = (name: string) => ({ name, stream: new Blob(["x"]).stream() });
  expect(await uploadEncrypted([file("a/b.txt"), file("a-b.txt")], own)).toMatchObject([
    { Name: "a/b.txt" },
    { Name: "a-b.txt" },
  ]);
  expect(await failure(uploadEncrypted([file("a/b.txt"), file("a/b.txt")], own))).toMatchObject({
    code: "DUPLICATE_NAME",
    message: "Duplicate file name found: a/b.txt",
  });
});

test("a recovery kit has the real name", async () => {
  const own = await options();
  const kit = await scratch();
  const { identity, recipient } = await createRecoveryIdentity();
  await uploadTextEncrypted("hello", { ...own, name: "diary.txt", recoveryTo: kit, recovery: [recipient] });
  const { entries } = await openRecoveryKit(kit, { identity });
  expect(entries.map(({ name }) => name)).toEqual(["diary.txt"]);
});

test("an upload that is resumed from its journal keeps the random names, and returns the real ones", async () => {
  const own = await options();
  const folder = await createFolder();
  const journal = await openJournal({ folder: await scratch() });
  const { url } = await createServer((_, response) => response.writeHead(503).end());
  const endpoints = { ...own.endpoints, keyNodes: url };
  const { signer: _, ...rest } = own;
  const token = "header.payload.signature";
  const broken = {
    ...rest,
    address: account(devnet(), 1).address,
    authToken: token,
    endpoints,
    attempts: 1,
    retryMs: 0,
  };
  const error = (await failure(uploadEncrypted(folder, { ...broken, journal }))) as UnfinishedUpload;
  expect(error.code).toBe("SHARDS_NOT_SAVED");
  expect((await journal.list()).flatMap(({ names }) => [...names]).sort()).toEqual([
    "Secret-Photos/Berlin/salary.txt",
    "Secret-Photos/salary.txt",
  ]);
  const [report] = await journal.resumeAll(await access());
  expect(report).toMatchObject({ kind: "upload" });
  const files = (report as { result: { Name: string; Hash: string }[] }).result;
  expect(files.map(({ Name }) => Name).sort()).toEqual(["Secret-Photos/Berlin/salary.txt", "Secret-Photos/salary.txt"]);
  const listed = await listAll();
  for (const { Hash } of files) expect(listed.find(({ cid }) => cid === Hash)?.fileName).toMatch(RANDOM);
});

test("files whose request broke are sent again under their random names, from a passed source", async () => {
  const own = await options();
  const journal = await openJournal({ folder: await scratch() });
  const source = [new File(["one"], "a/salary.txt"), new File(["two"], "b/salary.txt")];
  const dead = await createServer((_, response) => void response.destroy());
  const endpoints = { ...own.endpoints, upload: dead.url };
  expect(await failure(uploadEncrypted(source, { ...own, endpoints, journal }))).toMatchObject({
    name: "UnfinishedError",
  });
  const [open] = await journal.list();
  if (!open) throw new Error("the journal has nothing to resume");
  const { result } = (await journal.resume(open.id, { ...(await access()), source })) as {
    result: { Name: string; Hash: string }[];
  };
  expect(result.map(({ Name }) => Name)).toEqual(["a/salary.txt", "b/salary.txt"]);
});

test("names is refused unless it is visible or hidden", async () => {
  const own = { ...(await options()), names: "secret" as "hidden" };
  expect(await failure(uploadTextEncrypted("x", own))).toMatchObject({ code: "INVALID_OPTION" });
});
