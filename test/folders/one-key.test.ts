import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import {
  decrypt,
  download,
  isUnfinished,
  openJournal,
  readEncryptedFolder,
  revokeEncryptedFolder,
  shareEncryptedFolder,
  uploadEncrypted,
  uploadEncryptedFolder,
} from "../../src/index.ts";
import { as } from "../kavach/saved-keys.ts";
import { account, devnetForTests } from "../support/devnet-wire.ts";
import { failure } from "../support/failure.ts";
import { scratch } from "../support/files.ts";
import { createServer } from "../support/http-server.ts";
import { incomplete } from "../support/incomplete.ts";
import { oddTree, openTree, optionsOf, toFiles, uploadTree } from "./rig.ts";

const devnet = devnetForTests();
const tree = { "a/b.txt": "one", "a-b.txt": "two", "c.txt": "three" };
const friend = () => account(devnet(), 1).address;

/** Returns the salts and ivs that stored files start with, as hex digits. */
async function readHeaders(cids: readonly string[]): Promise<{ salts: Set<string>; ivs: Set<string> }> {
  const salts = new Set<string>();
  const ivs = new Set<string>();
  for (const cid of cids) {
    const bytes = Buffer.from(await download(cid, { endpoints: devnet().endpoints }));
    salts.add(bytes.subarray(0, 16).toString("hex"));
    ivs.add(bytes.subarray(16, 28).toString("hex"));
  }
  return { salts, ivs };
}

const listCids = (files: readonly { cid: string }[]) => files.map(({ cid }) => cid);

test("all files of a folder have one salt, each has an iv of its own, and each opens by itself", async () => {
  const options = { ...(await optionsOf(devnet())), oneKeyForFolder: true };
  const folder = await uploadEncryptedFolder(toFiles(oddTree), options);
  expect(folder.oneKey).toBe(true);
  expect(await openTree(devnet(), folder.cid)).toEqual({ name: "Photos", tree: oddTree });
  const { salts, ivs } = await readHeaders(listCids(folder.files));
  expect(salts.size).toBe(1);
  expect(ivs.size).toBe(folder.files.length);
  // The key of one file does not open the list of all of them.
  const { salts: saltsWithManifest } = await readHeaders([folder.cid, ...listCids(folder.files)]);
  expect(saltsWithManifest.size).toBe(2);
});

test("without the option each file has a key of its own", async () => {
  const folder = await uploadTree(devnet(), tree);
  expect(folder).not.toHaveProperty("oneKey");
  expect((await readHeaders(listCids(folder.files))).salts.size).toBe(3);
  expect(await readEncryptedFolder(folder.cid, as(devnet(), 0))).not.toHaveProperty("oneKey");
});

test("its manifest says so, and it is shared and revoked as a whole", async () => {
  const options = { ...(await optionsOf(devnet())), oneKeyForFolder: true };
  const { cid, files } = await uploadEncryptedFolder(toFiles(tree), options);
  expect(await shareEncryptedFolder(cid, { ...as(devnet(), 0), shareTo: friend() })).toMatchObject({ oneKey: true });
  expect(await readEncryptedFolder(cid, as(devnet(), 1))).toMatchObject({ oneKey: true });
  expect(await openTree(devnet(), cid, 1)).toEqual({ name: "Photos", tree });
  await revokeEncryptedFolder(cid, { ...as(devnet(), 0), revokeTo: friend() });
  for (const each of [cid, ...listCids(files)]) {
    expect((await failure(decrypt(each, as(devnet(), 1)))).code).toBe("NODE_REFUSED");
  }
});

test("files that are sent again, by another process too, have another salt and the same key", async () => {
  const path = join(await scratch(), "Photos");
  for (const [name, text] of Object.entries(tree)) {
    await mkdir(dirname(join(path, name)), { recursive: true });
    await writeFile(join(path, name), text);
  }
  const folder = await scratch();
  const bodies: Buffer[] = [];
  // Receives everything and stores nothing.
  const gateway = await createServer((request, response) => {
    bodies.push(request.body);
    response.writeHead(502).end();
  });
  const options = await optionsOf(devnet());
  const endpoints = { ...options.endpoints, upload: gateway.url };
  const journal = await openJournal({ folder });
  const error = await failure(uploadEncryptedFolder(path, { ...options, endpoints, journal, oneKeyForFolder: true }));
  expect(isUnfinished(error)).toBe(true);
  const again = await openJournal({ folder });
  const resumed = await again.resume((await again.list())[0]?.id ?? "", options);
  if (resumed.kind !== "upload") throw new Error("no upload was resumed");
  const [manifest, ...files] = resumed.result;
  expect(await openTree(devnet(), manifest.Hash)).toEqual({ name: "Photos", tree });
  expect(await readEncryptedFolder(manifest.Hash, as(devnet(), 0))).toMatchObject({ oneKey: true });
  const { salts, ivs } = await readHeaders(files.map(({ Hash }) => Hash));
  expect([salts.size, ivs.size]).toEqual([1, 3]);
  const [salt = ""] = salts;
  expect(bodies.some((body) => body.includes(Buffer.from(salt, "hex")))).toBe(false);
});

test("who changes what a manifest says about its key is refused", async () => {
  const options = await optionsOf(devnet(), 1);
  const { cid } = await uploadEncryptedFolder(toFiles(tree), { ...options, oneKeyForFolder: true });
  const manifest = JSON.parse(new TextDecoder().decode(await decrypt(cid, as(devnet(), 1))));

  async function store(changed: object): Promise<string> {
    const file = new File([JSON.stringify({ ...manifest, ...changed })], "x.json");
    const [{ Hash }] = await uploadEncrypted(file, options);
    return Hash;
  }

  const hidden = await store({ oneKey: undefined });
  const share = { ...as(devnet(), 1), shareTo: account(devnet(), 0).address };
  expect((await failure(shareEncryptedFolder(hidden, share))).code).toBe("INVALID_FOLDER");
  const malformed = await store({ oneKey: 1 });
  expect((await failure(readEncryptedFolder(malformed, as(devnet(), 1)))).code).toBe("INVALID_FOLDER");
});

test("the option is a boolean", async () => {
  const options: never = incomplete({ ...(await optionsOf(devnet())), oneKeyForFolder: "yes" });
  const before = devnet().requests().length;
  expect((await failure(uploadEncryptedFolder(toFiles(tree), options))).code).toBe("INVALID_OPTION");
  expect(devnet().requests().length).toBe(before);
});
