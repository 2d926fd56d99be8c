import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  createKit,
  decrypt,
  iterateFiles,
  parseFolderName,
  readEncryptedFolder,
  uploadEncrypted,
  uploadEncryptedFolder,
} from "../../src/index.ts";
import { as } from "../kavach/saved-keys.ts";
import { devnetForTests } from "../support/devnet-wire.ts";
import { failure } from "../support/failure.ts";
import { scratch } from "../support/files.ts";
import { oddTree, openTree, optionsOf, toFiles, uploadTree } from "./rig.ts";

const devnet = devnetForTests();

test("a folder keeps its name and its tree, and each file opens by itself", async () => {
  const folder = await uploadTree(devnet(), oddTree);
  expect(folder).toMatchObject({ name: "Photos", size: Object.values(oddTree).join("").length });
  expect(folder.files.map(({ path }) => path)).toEqual(Object.keys(oddTree));
  expect(await openTree(devnet(), folder.cid)).toEqual({ name: "Photos", tree: oddTree });
});

test("the network lists its files and its manifest under names that belong together", async () => {
  const [first, second] = [
    await uploadTree(devnet(), { "x/y.txt": "1" }),
    await uploadTree(devnet(), { "x/y.txt": "2" }),
  ];
  const rows = new Map<string, string>();
  for await (const { cid, fileName } of iterateFiles(await optionsOf(devnet()).then(pickBearer)))
    rows.set(cid, fileName ?? "");
  const read = (cid = "") => parseFolderName(rows.get(cid) ?? "");
  const manifests = [first, second].map(({ cid }) => read(cid));
  expect(manifests).toMatchObject([
    { name: "Photos", isManifest: true },
    { name: "Photos", isManifest: true },
  ]);
  const files = [first, second].map(({ files: [file] }) => read(file?.cid));
  expect(files).toMatchObject([
    { name: "x-y.txt", isManifest: false, id: manifests[0]?.id },
    { name: "x-y.txt", isManifest: false, id: manifests[1]?.id },
  ]);
  expect(manifests[0]?.id).not.toBe(manifests[1]?.id);
  expect(parseFolderName("photo.jpg")).toBeUndefined();
});

function pickBearer({ apiKey, endpoints }: { apiKey: string; endpoints: object }) {
  return { apiKey, endpoints };
}

test("a folder of the disk is named as it is, or as it is told", async () => {
  const path = join(await scratch(), "album");
  await mkdir(join(path, "one/two"), { recursive: true });
  await writeFile(join(path, "one/two/three.txt"), "text");
  const options = await optionsOf(devnet());
  expect(await openTree(devnet(), (await uploadEncryptedFolder(path, options)).cid)).toEqual({
    name: "album",
    tree: { "one/two/three.txt": "text" },
  });
  const { cid } = await uploadEncryptedFolder(path, { ...options, name: "Named" });
  expect((await openTree(devnet(), cid)).name).toBe("Named");
});

test("progress never decreases and reaches 1 once, at the end", async () => {
  const seen: number[] = [];
  await uploadEncryptedFolder(toFiles({ a: "1", b: "2" }), {
    ...(await optionsOf(devnet())),
    onProgress: ({ fraction }) => seen.push(fraction),
  });
  expect(seen).toEqual([...seen].sort((a, b) => a - b));
  expect(seen.filter((fraction) => fraction === 1)).toHaveLength(1);
});

test("nothing is sent for a folder that a manifest cannot describe", async () => {
  const options = await optionsOf(devnet());
  const before = devnet().requests().length;
  const code = async (source: Parameters<typeof uploadEncryptedFolder>[0], changed = {}) =>
    (await failure(uploadEncryptedFolder(source, { ...options, ...changed }))).code;
  expect(await code(new File(["x"], "a.txt"))).toBe("INVALID_OPTION");
  expect(await code(new File(["x"], "a.txt"), { name: "a/b" })).toBe("INVALID_OPTION");
  expect(await code(new File(["x"], "a.txt"), { name: ".." })).toBe("INVALID_OPTION");
  expect(await code([new File(["x"], "a.txt"), new File(["y"], "a.txt")], { name: "n" })).toBe("DUPLICATE_NAME");
  expect(await code([new File(["x"], "a"), new File(["y"], "a/b")], { name: "n" })).toBe("DUPLICATE_NAME");
  expect(await code(new File(["x"], "a\nb"), { name: "n" })).toBe("INVALID_SOURCE");
  expect(await code(new File(["x"], "C:\\a"), { name: "n" })).toBe("INVALID_SOURCE");
  expect(await code(new File(["x"], "a\u202eb"), { name: "n" })).toBe("INVALID_SOURCE");
  expect(await code(toFiles({ a: "1" }), { apiKey: "" })).toBe("MISSING_API_KEY");
  const token = { signer: undefined, address: options.signer.address, authToken: "0x00" };
  expect(await code(toFiles({ a: "1" }), token)).toBe("NOT_A_JWT");
  expect(devnet().requests().length).toBe(before);
});

test("a kit binds its defaults to it", async () => {
  const kit = createKit(await optionsOf(devnet()).then(({ attempts: _, ...options }) => options));
  const { cid } = await kit.uploadEncryptedFolder(toFiles({ a: "1" }));
  expect(await kit.readEncryptedFolder(cid)).toMatchObject({ name: "Photos", files: [{ path: "a", size: 1 }] });
});

const cid = "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e";
const commitment = "0".repeat(64);
const file = { path: "a", cid, size: 1, commitment };

/** Uploads what claims to be a manifest; returns the code and the problem of reading it. */
async function readForged(change: object, n = 0) {
  const { signer } = as(devnet(), n);
  const owner = signer.address;
  const valid = {
    type: "keeplight folder",
    version: 1,
    name: "n",
    owner,
    createdAt: 1,
    files: [file],
    proofs: [commitment],
  };
  const forged = new File([JSON.stringify({ ...valid, ...change })], "x.json");
  const [{ Hash }] = await uploadEncrypted(forged, await optionsOf(devnet()));
  return readEncryptedFolder(Hash, as(devnet(), 0)).then(
    () => "read",
    ({ code, details }) => `${code}: ${details.problem}`,
  );
}

test("what a manifest says is checked", async () => {
  const paths = [
    "",
    "/a",
    "a/",
    "../a",
    "a/../b",
    "a//b",
    ".",
    "a\u0000b",
    "a\nb",
    "a\u009bb",
    "x".repeat(5_000),
    `${"a/".repeat(100)}b`,
    "a\ud800",
    "..\\x",
    "a/..\\..\\x",
    "\\\\server\\x",
    "C:\\x",
    "c:x",
    "a/.. ",
    "a/...",
    "a\u202egpj.exe",
    "a\u2067b",
    1,
    null,
  ];
  expect(await readForged({})).toBe("read");
  for (const path of paths) {
    expect(await readForged({ files: [{ ...file, path }] }), JSON.stringify(path)).toMatch(/^INVALID_FOLDER: a path/);
  }
  const refused: [object, RegExp][] = [
    [{ type: "folder" }, /another file/],
    [{ version: 2 }, /later version/],
    [{ name: "a/b" }, /slash/],
    [{ name: ".." }, /'\.\.'/],
    [{ owner: "0x1" }, /address/],
    [{ createdAt: "now" }, /time/],
    [{ files: [] }, /list of files/],
    [{ files: {} }, /list of files/],
    [{ files: [file, file], proofs: [commitment, commitment] }, /one path|a file and a folder/],
    [{ files: [file, { ...file, path: "a/b" }] }, /one path|a file and a folder/],
    [{ proofs: [] }, /proofs/],
    [{ proofs: ["x"] }, /proofs/],
    [{ files: [{ ...file, cid: "../x" }] }, /content id/],
    [{ files: [{ ...file, size: -1 }] }, /size/],
    [{ files: [{ ...file, size: 1.5 }] }, /size/],
    [{ files: [{ ...file, commitment: "x" }] }, /commitment/],
    [{ files: [{ ...file, chunkProfile: "rabin" }] }, /chunk profile/],
    [{ files: [null] }, /malformed/],
    [{ more: JSON.parse("[".repeat(64) + "]".repeat(64)) }, /another file/],
    [{ more: Array.from({ length: 800_000 }, () => "a long value") }, /another file/],
    [
      { files: Array.from({ length: 2_100 }, (_, at) => ({ ...file, path: `${at}${"/x".repeat(99)}` })) },
      /200000 folders/,
    ],
  ];
  for (const [change, problem] of refused) expect(await readForged(change), JSON.stringify(change)).toMatch(problem);
});

test("paths that Windows cannot write are kept, and reported", async () => {
  const unportable = ["CON", "sub/aux.c", "notes:stream", "a\\b", "dot.", "space ", "com¹.txt", "what?"];
  const portable = [".bashrc", "sub/console", "\u200eWhatsApp.jpg", "\u05d0.txt", "a b", ".git/HEAD", "C/x"];
  const options = await optionsOf(devnet());
  const { cid: folder } = await uploadEncryptedFolder(
    toFiles(Object.fromEntries([...unportable, ...portable].map((path) => [path, path]))),
    options,
  );
  const { files, unportablePaths } = await readEncryptedFolder(folder, as(devnet(), 0));
  expect(files).toHaveLength(unportable.length + portable.length);
  expect(unportablePaths?.sort()).toEqual(unportable.sort());
  const { cid: plain } = await uploadEncryptedFolder(toFiles({ a: "1" }), options);
  expect(await readEncryptedFolder(plain, as(devnet(), 0))).not.toHaveProperty("unportablePaths");
});

test("a folder is not read as one of an account that did not upload it", async () => {
  expect(await readForged({ owner: as(devnet(), 1).signer.address })).toBe(
    "INVALID_FOLDER: another account owns its key",
  );
});

test("another file is not a folder", async () => {
  const [{ Hash }] = await uploadEncrypted(new File([new Uint8Array([255, 0])], "x"), await optionsOf(devnet()));
  const { code } = await failure(readEncryptedFolder(Hash, as(devnet(), 0)));
  expect(code).toBe("INVALID_FOLDER");
  expect(await decrypt(Hash, as(devnet(), 0))).toHaveLength(2);
});
