import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { encode, type PBLink, prepare } from "@ipld/dag-pb";
import { MemoryBlockstore } from "blockstore-core";
import { UnixFS } from "ipfs-unixfs";
import { CID } from "multiformats/cid";
import { create } from "multiformats/hashes/digest";
import { beforeAll, expect, test } from "vitest";
import { startGateway } from "../../../test/blocks/stand-in.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { writeTree } from "../../../test/support/files.ts";
import { findUnsafePaths, toSafePaths } from "../src/steps/file-names.ts";
import { type CliEvent, finish, type Person, parseEvents, rigForTests } from "./rig.ts";
import { findUndocumented } from "./schema.ts";

// Folders of the network, of the drive, and encrypted ones with a list, are fetched as trees.

const rig = rigForTests();

const letters = {
  "letters/one.txt": "1",
  "letters/sub/two.txt": "22",
  "letters/sub/deep/three.txt": "333",
  "letters/.hidden": "h",
};

let person: Person;
let cid: string;
beforeAll(async () => {
  person = await rig().createPerson();
  await writeTree(person.cwd, letters);
  cid = await upload("letters");
});

const itemsOf = (events: readonly CliEvent[]) => events.filter(({ event }) => event === "item");

/** Uploads a path as it is; returns the content id of the folder, which is printed last. */
async function upload(...args: string[]): Promise<string> {
  const { stdout } = await person.run(["up", ...args, "-q"]);
  return stdout.trim().split("\n").at(-1) ?? "";
}

async function get(args: readonly string[], code = 0): Promise<CliEvent[]> {
  const events = await person.events(["get", ...args], { code });
  expect(findUndocumented("get", events)).toEqual([]);
  return events;
}

/** Reads all files of a folder, by their paths. */
async function readTree(folder: string): Promise<Record<string, string>> {
  const tree: Record<string, string> = {};
  const names = await readdir(join(person.cwd, folder), { recursive: true });
  for (const name of names.sort()) {
    const path = join(person.cwd, folder, name);
    if ((await stat(path)).isFile()) tree[name] = await readFile(path, "utf8");
  }
  return tree;
}

const expectedTree = Object.fromEntries(Object.entries(letters).map(([path, text]) => [path.slice(8), text]));

test("a folder is listed, and its files are fetched by their paths", async () => {
  const listed = await person.events(["ls", `ipfs://${cid}/sub/`]);
  expect(findUndocumented("ls", listed)).toEqual([]);
  expect(itemsOf(listed)).toMatchObject([
    { name: "deep", type: "folder", size: null },
    { name: "two.txt", type: "file", size: 2 },
  ]);
  expect((await person.run(["ls", cid])).stdout).toMatch(/^one\.txt +1 B +file +baf/m);
  expect((await get([`${cid}/sub/two.txt`])).at(-1)).toMatchObject({
    size: 2,
    verified: "blocks",
    path: join(person.cwd, "two.txt"),
  });
  expect((await person.run(["get", `ipfs://${cid}/sub/deep/three%2Etxt`, "-o", "-"])).stdout).toBe("333");
  const dry = await get([`${cid}/one.txt`, "--dry-run"]);
  expect(dry).toMatchObject([{ size: 1, path: "one.txt" }]);
  for (const args of [[cid], [`${cid}/sub`, "--dry-run"]]) {
    expect(await get(args, 1)).toMatchObject([{ event: "error", code: "IS_FOLDER" }]);
  }
  expect(await get([`${cid}/none`], 1)).toMatchObject([{ code: "PATH_NOT_FOUND" }]);
});

test("get -r stores the tree; again it fetches only what is missing, and replaces nothing of others", async () => {
  const dry = await get(["-r", cid, "-o", "tree", "--dry-run"]);
  expect(dry.at(-1)).toMatchObject({ files: 4, written: 0, size: 7 });
  expect(itemsOf(dry).map(({ path }) => path)).toEqual([".hidden", "one.txt", "sub/deep/three.txt", "sub/two.txt"]);
  await expect(readdir(join(person.cwd, "tree"))).rejects.toThrow("ENOENT");
  const first = await get(["-r", cid, "-o", "tree"]);
  expect(first.at(-1)).toMatchObject({ files: 4, written: 4, size: 7, cid });
  const progress = first.filter(({ event }) => event === "progress");
  expect(progress.at(-1)).toMatchObject({ loaded: 7, total: 7, fraction: 1 });
  expect(await readTree("tree")).toEqual(expectedTree);

  await rm(join(person.cwd, "tree/one.txt"));
  expect(itemsOf(await get(["-r", cid, "-o", "tree"]))).toMatchObject([{ path: "one.txt" }]);
  // Without notes of this machine, what is there is recognised by its content id.
  await rm(join(person.home, ".local/state/keeplight/fetched"), { recursive: true });
  expect((await get(["-r", cid, "-o", "tree"])).at(-1)).toMatchObject({ written: 0 });

  await writeTree(person.cwd, { "tree/one.txt": "!" });
  await rm(join(person.cwd, "tree/.hidden"));
  const refused = await get(["-r", cid, "-o", "tree"], 1);
  expect(refused).toMatchObject([{ path: "one.txt" }, { code: "FILE_EXISTS" }]);
  expect(await readTree("tree")).toEqual({
    "one.txt": "!",
    "sub/two.txt": "22",
    "sub/deep/three.txt": "333",
  });
  expect((await get(["-r", cid, "-o", "tree", "--force"])).at(-1)).toMatchObject({ written: 2 });
  expect(await readTree("tree")).toEqual(expectedTree);
  expect((await get(["-r", `${cid}/sub`])).at(-1)).toMatchObject({ path: join(person.cwd, "sub") });
  expect(await readTree("sub")).toEqual({ "two.txt": "22", "deep/three.txt": "333" });
});

test("bytes that were fetched with --unverified are believed by such a run only", async () => {
  const [entry] = itemsOf(await person.events(["ls", cid])).filter(({ name }) => name === "one.txt");
  const change = () => new TextEncoder().encode("x");
  const stop = rig().devnet.attacks.add({ kind: "tamper-content", cid: String(entry?.["cid"]), change });
  const args = ["-r", cid, "-o", "unproved"];
  const first = await get([...args, "--unverified"]).finally(stop);
  const message = "Nothing proves that these bytes are those of the content ids.";
  expect(first.filter(({ event }) => event === "warning")).toMatchObject([{ message }]);
  expect(await readTree("unproved")).toEqual({ ...expectedTree, "one.txt": "x" });
  expect((await get([...args, "--unverified"])).at(-1)).toMatchObject({ written: 0 });
  // The others prove to be right as they are.
  const verified = await get(args);
  expect(itemsOf(verified)).toMatchObject([{ path: "one.txt" }]);
  expect(verified.filter(({ event }) => event === "warning")).toEqual([]);
  expect(await readTree("unproved")).toEqual(expectedTree);

  await person.events(["up", "-e", "--to", "unproved", "letters/one.txt"]);
  const drive = ["-r", "unproved/one.txt", "-o", "drive-unproved"];
  for (const [more, written] of [
    [["--unverified"], 1],
    [["--unverified"], 0],
    [[], 1],
    [[], 0],
    [["--unverified"], 0],
  ] as const) {
    const result = (await get([...drive, ...more])).at(-1);
    expect({ more, result }).toMatchObject({ more, result: { written } });
  }
});

test("what fails is named, and the same command fetches the rest", async () => {
  const [entry] = itemsOf(await person.events(["ls", cid])).filter(({ name }) => name === "one.txt");
  const one = String(entry?.["cid"]);
  const action = { kind: "respond", status: 500 } as const;
  const stop = rig().devnet.faults.add({ service: "gateway", path: new RegExp(one), action } as never);
  const events = await get(["-r", cid, "-o", "half"], 2).finally(stop);
  expect(events.at(-1)).toMatchObject({ code: "INCOMPLETE", resume: `keeplight get -r ${cid} -o half --json` });
  expect(itemsOf(events)).toContainEqual(expect.objectContaining({ path: "one.txt", code: expect.any(String) }));
  expect(itemsOf(await get(["-r", cid, "-o", "half"]))).toMatchObject([{ path: "one.txt" }]);
  expect(await readTree("half")).toEqual(expectedTree);

  const reset = { kind: "reset" } as const;
  const end = rig().devnet.faults.add({ service: "gateway", path: new RegExp(one), action: reset } as never);
  await rm(join(person.cwd, "half"), { recursive: true });
  const cut = await get(["-r", cid, "-o", "half"], 2).finally(end);
  expect(itemsOf(cut)).toContainEqual(expect.objectContaining({ path: "one.txt", code: "NETWORK" }));
  expect(Object.keys(await readTree("half"))).toHaveLength(3);
});

test("a file that appears while its place is fetched stays, also if it was changed after a kill", async () => {
  const states = join(person.home, ".local/state/keeplight/fetched");
  const put = async (text: string) => {
    await writeTree(person.cwd, { "changing/note": text });
    await person.events(["up", "-e", "--to", "changing", "changing/note"]);
  };
  await put("1");
  await get(["-r", "changing", "-o", "kept"]);
  await put("2");
  const action = { kind: "delay", ms: 600_000 } as const;
  const stop = rig().devnet.faults.add({ service: "gateway", path: /baf/, action } as never);
  const child = person.start(["get", "-r", "changing", "-o", "kept"]);
  const ended = finish(child);
  const isStarted = (name: string) => name.endsWith(".part");
  await eventually(async () => expect((await readdir(join(person.cwd, "kept"))).some(isStarted)).toBe(true));
  child.kill("SIGKILL");
  await ended;
  stop();
  await writeTree(person.cwd, { "kept/note": "!" });
  expect(await get(["-r", "changing", "-o", "kept"], 1)).toMatchObject([{ path: "note" }, { code: "FILE_EXISTS" }]);
  expect((await readTree("kept"))["note"]).toBe("!");

  const delay = { kind: "delay", ms: 500 } as const;
  const end = rig().devnet.faults.add({ service: "gateway", path: /baf/, action: delay } as never);
  const late = get(["-r", "changing", "-o", "late"], 2).finally(end);
  await eventually(async () => expect((await readdir(join(person.cwd, "late"))).some(isStarted)).toBe(true));
  await writeTree(person.cwd, { "late/note": "?" });
  expect(itemsOf(await late)).toMatchObject([{ path: "note", code: "FILE_EXISTS" }]);
  expect(await readTree("late")).toEqual({ note: "?" });

  for (const file of await readdir(states)) {
    expect(await readFile(join(states, file), "utf8")).toMatch(/^(\n[0-9a-f]{64} (unproved )?baf\w+)*$/);
  }
});

test("a run that is interrupted or killed is continued by the same command", async () => {
  const items = itemsOf(await person.events(["up", "-e", "--to", "killed", "letters"]));
  const slow = String(items.find(({ name }) => name === "killed/letters/one.txt")?.["cid"]);
  for (const signal of ["SIGINT", "SIGKILL"] as const) {
    const action = { kind: "delay", ms: 600_000 } as const;
    const stop = rig().devnet.faults.add({ service: "gateway", path: new RegExp(slow), action } as never);
    const child = person.start(["get", "-r", "killed", "-o", signal, "--json"]);
    const ended = finish(child);
    // The fourth file has a temporary name.
    const listFiles = () => readdir(join(person.cwd, signal), { recursive: true, withFileTypes: true });
    const countWhole = (names: { name: string; isFile(): boolean }[]) =>
      names.filter((each) => each.isFile() && !each.name.endsWith(".part")).length;
    await eventually(async () => expect(countWhole(await listFiles())).toBe(3));
    child.kill(signal);
    const { code, stdout } = await ended;
    stop();
    if (signal === "SIGINT") {
      const resume = "keeplight get -r killed -o SIGINT --json";
      expect([code, parseEvents(stdout).at(-1)]).toMatchObject([130, { code: "ABORTED", resume }]);
    }
    expect(itemsOf(await get(["-r", "killed", "-o", signal]))).toMatchObject([{ path: "letters/one.txt" }]);
    expect(await readTree(signal)).toEqual(letters);
  }
});

test("an encrypted tree comes back as the tree: of the drive, and with visible names", async () => {
  await person.events(["up", "-e", "--to", "mine", "letters"]);
  const restored = await get(["-r", "mine/letters", "-o", "drive"]);
  expect(restored.at(-1)).toMatchObject({ cid: null, files: 4, written: 4 });
  expect(await readTree("drive")).toEqual(expectedTree);
  expect((await get(["-r", "mine/letters", "-o", "drive"])).at(-1)).toMatchObject({ written: 0 });
  // Another version of the same size replaces the one that was fetched, and nothing else.
  await writeTree(person.cwd, { "two/two.txt": "2!" });
  await person.events(["up", "-e", "--to", "mine/letters/sub", "two/two.txt"]);
  expect(itemsOf(await get(["-r", "mine/letters", "-o", "drive"]))).toMatchObject([{ path: "sub/two.txt" }]);
  expect(await readTree("drive")).toEqual({ ...expectedTree, "sub/two.txt": "2!" });
  await get(["-r", "mine/letters/one.txt", "-o", "single"]);
  expect(await readTree("single")).toEqual({ "one.txt": "1" });
  expect(await get(["-r", "mine/none"], 1)).toMatchObject([{ code: "PATH_NOT_FOUND" }]);

  const [folder, ...files] = itemsOf(await person.events(["up", "-e", "--visible-names", "letters"]));
  expect(folder).toMatchObject({ name: "letters", size: 7, encrypted: true });
  expect(files.map(({ name }) => name)).toContain("sub/two.txt");
  expect((await get(["-r", String(folder?.["cid"]), "-o", "manifest"])).at(-1)).toMatchObject({ files: 4 });
  expect(await readTree("manifest")).toEqual(expectedTree);
  expect(await get(["-r", String(files[0]?.["cid"])], 1)).toMatchObject([{ code: "NOT_A_FOLDER" }]);
});

test("--include, --exclude and .keeplightignore choose files of folders, to send and to fetch", async () => {
  await writeTree(person.cwd, {
    "src/.keeplightignore": "build/\n*.log\n!keep.log\n",
    "src/a.ts": "a",
    "src/A.TS": "A",
    "src/b.log": "b",
    "src/lib/keep.log": "k",
    "src/lib/c.md": "c",
    "src/build/out.js": "o",
  });
  await symlink("nowhere", join(person.cwd, "src/build/broken"));
  const names = async (...args: string[]) => {
    const events = await person.events(["up", ...args, "--dry-run"]);
    return itemsOf(events).map(({ name }) => String(name).replace("src/", ""));
  };
  expect(await names("--exclude", "*.md", "--exclude", ".*", "src")).toEqual(["A.TS", "a.ts", "lib/keep.log"]);
  expect(await names("--include", "*.ts", "--include", "lib/", "--exclude", "*.md", "src")).toEqual([
    "a.ts",
    "lib/keep.log",
  ]);
  const none = await person.events(["up", "--include", "*.none", "src"], { code: 1 });
  expect(none).toMatchObject([{ code: "NOTHING_LEFT" }]);
  const folder = await upload("--exclude", "*.TS", "src");
  await get(["-r", "--exclude", "*.md", folder, "-o", "got"]);
  expect(await readTree("got")).toEqual({
    ".keeplightignore": "build/\n*.log\n!keep.log\n",
    "a.ts": "a",
    "lib/keep.log": "k",
  });
  await person.events(["up", "-e", "--include", "*.ts", "src"]);
  await get(["-r", "src", "-o", "encrypted"]);
  expect(await readTree("encrypted")).toEqual({ "a.ts": "a" });
  expect(await get([cid, "--include", "*"], 1)).toMatchObject([{ code: "USAGE" }]);
});

test("links and folders in the place of a tree are not written through or replaced", async () => {
  await mkdir(join(person.cwd, "outside"));
  await mkdir(join(person.cwd, "links/one.txt"), { recursive: true });
  await symlink("../outside", join(person.cwd, "links/sub"));
  for (const path of ["sub", "one.txt"]) {
    const events = await get(["-r", cid, "-o", "links", "--force"], 1);
    expect(events).toMatchObject([{ path }, { code: "FILE_EXISTS" }]);
    await rm(join(person.cwd, "links", path), { recursive: true });
  }
  await symlink("../outside/file", join(person.cwd, "links/one.txt"));
  expect(await get(["-r", cid, "-o", "links"], 1)).toMatchObject([{ path: "one.txt" }, {}]);
  await get(["-r", cid, "-o", "links", "--force"]);
  expect(await readTree("links")).toEqual(expectedTree);
  expect(await readdir(join(person.cwd, "outside"))).toEqual([]);
});

/** Makes a public folder with entries of any names. */
async function makeFolder(names: readonly string[]): Promise<[string, MemoryBlockstore]> {
  const blocks = new MemoryBlockstore();
  const put = async (bytes: Uint8Array, codec: number): Promise<CID> => {
    const id = CID.createV1(codec, create(0x12, createHash("sha256").update(bytes).digest()));
    await blocks.put(id, bytes);
    return id;
  };
  const file = await put(Uint8Array.of(1), 0x55);
  const links = names.map((Name): PBLink => ({ Name, Hash: file, Tsize: 1 }));
  const folder = await put(encode(prepare({ Data: new UnixFS({ type: "directory" }).marshal(), Links: links })), 0x70);
  return [folder.toString(), blocks];
}

test("hostile paths of folders and of lists write nothing", async () => {
  const odd = [
    "C:x",
    "..\\up",
    "nul",
    "Aux.txt",
    "dot.",
    "space ",
    "line\nbreak",
    "Same",
    "same",
    "\u00e9",
    "e\u0301",
    "a|b",
  ];
  for (const [names, code] of [
    [["fine", ...odd], "UNSAFE_PATHS"],
    [["fine", "../../up"], "INVALID_RESPONSE"],
  ] as const) {
    const [hostile, blocks] = await makeFolder(names);
    const { url } = await startGateway(blocks, { ways: ["raw"] });
    const events = await person.events(["get", "-r", hostile, "-o", "hostile"], {
      code: 1,
      env: { KEEPLIGHT_GATEWAY_URL: url },
    });
    expect(events.at(-1)).toMatchObject({ code });
    if (code !== "UNSAFE_PATHS") continue;
    // Of names that collide, one is named.
    expect(itemsOf(events)).toHaveLength(odd.length - 2);
    const { stdout } = await person.run(["get", "-r", hostile, "-o", "safe", "--safe-names"], {
      env: { KEEPLIGHT_GATEWAY_URL: url },
    });
    expect(stdout).toContain("13 of 13 files fetched");
    expect(findUnsafePaths(await readdir(join(person.cwd, "safe")), [])).toEqual([]);
  }
  const file = { cid, size: 1, commitment: "0".repeat(64) };
  const manifest = { type: "keeplight folder", version: 1, name: "x", owner: person.address.toLowerCase() };
  const list = { ...manifest, createdAt: 1, files: [{ ...file, path: "a/../../up" }], proofs: ["0".repeat(64)] };
  await writeFile(join(person.cwd, "list.json"), JSON.stringify(list));
  const [item] = itemsOf(await person.events(["up", "-e", "--visible-names", "list.json"]));
  expect(await get(["-r", String(item?.["cid"]), "-o", "hostile"], 1)).toMatchObject([{ code: "NOT_A_FOLDER" }]);
  await expect(stat(join(person.cwd, "hostile"))).rejects.toThrow("ENOENT");
});

test("paths are checked by the rules of every system, and get others that are valid everywhere", () => {
  const unsafe = [
    "a/../b",
    "/a",
    "a//b",
    "",
    ".",
    "a\\b",
    "c:/d",
    "con",
    "LPT1.txt",
    "a.",
    "a ",
    "a\u0000",
    "x".repeat(256),
  ];
  for (const path of unsafe) expect(findUnsafePaths([path], []), path).toHaveLength(1);
  expect(findUnsafePaths(["a", "b/A", "b/\u00fcber.txt", ".hidden", "console", "a.b.c"], ["empty"])).toEqual([]);
  for (const pair of [
    ["a/x", "A/y"],
    ["a", "a/b"],
    ["stra\u00dfe", "STRASSE"],
    ["a", "a\u200d"],
    ["a", "a"],
  ]) {
    expect(findUnsafePaths(pair, [])).toHaveLength(1);
  }
  expect(findUnsafePaths(["a"], ["A"])).toHaveLength(1);
  const paths = [...unsafe.filter((path) => path !== ""), "Same.txt", "same.txt", "Dir/x", "dir/y"];
  const safe = toSafePaths(paths);
  const mapped = paths.map(safe);
  expect(new Set(mapped).size).toBe(paths.length);
  expect(findUnsafePaths(mapped, [])).toEqual([]);
  expect([safe("Same.txt"), safe("same.txt")]).toEqual(["Same.txt", "same (2).txt"]);
});
