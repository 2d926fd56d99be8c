import { createHash } from "node:crypto";
import { access } from "node:fs/promises";
import { join } from "node:path";
import { encode, prepare } from "@ipld/dag-pb";
import { MemoryBlockstore } from "blockstore-core";
import { UnixFS } from "ipfs-unixfs";
import { CID } from "multiformats/cid";
import { create } from "multiformats/hashes/digest";
import { beforeAll, expect, test } from "vitest";
import { startGateway } from "../../../test/blocks/stand-in.ts";
import { findUnsafePaths, toSafePaths } from "../src/steps/file-names.ts";
import { listFolders } from "../src/steps/local-tree.ts";
import { type Person, rigForTests } from "./rig.ts";

// Folders inside each other, as somebody may publish them to exhaust whoever fetches them.

const rig = rigForTests();

let person: Person;
beforeAll(async () => {
  person = await rig().createPerson();
});

/** Creates blocks of files and folders. */
function createBlocks() {
  const blocks = new MemoryBlockstore();
  const put = async (bytes: Uint8Array, codec: number): Promise<CID> => {
    const id = CID.createV1(codec, create(0x12, createHash("sha256").update(bytes).digest()));
    await blocks.put(id, bytes);
    return id;
  };
  return {
    blocks,
    file: put(Uint8Array.of(1), 0x55),
    folder: (links: readonly { Name: string; Hash: CID }[]) => {
      const Links = links.map((link) => ({ ...link, Tsize: 1 }));
      return put(encode(prepare({ Data: new UnixFS({ type: "directory" }).marshal(), Links })), 0x70);
    },
  };
}

/** Puts a folder into folders with long names. */
async function nest(folder: (links: { Name: string; Hash: CID }[]) => Promise<CID>, inner: CID, depth: number) {
  let outer = inner;
  for (let level = 0; level < depth; level++) outer = await folder([{ Name: "n".repeat(200), Hash: outer }]);
  return outer;
}

/** Runs `get -r` against a gateway. */
const get = (url: string, args: readonly string[], code = 1) =>
  person.events(["get", "-r", ...args], { code, env: { KEEPLIGHT_GATEWAY_URL: url } });

test("paths that are too long for any system are refused as soon as they are listed", async () => {
  const { blocks, file, folder } = createBlocks();
  const deep = await nest(folder, await folder([{ Name: "b.txt", Hash: await file }]), 600);
  const top = await folder([
    { Name: "a.txt", Hash: await file },
    { Name: "deep", Hash: deep },
  ]);
  const { url, requests } = await startGateway(blocks, { ways: ["raw"] });
  for (const more of [[], ["--include", "*.txt"], ["--safe-names"]]) {
    const before = requests.length;
    const events = await get(url, [String(top), "-o", "deep", ...more]);
    expect(events).toMatchObject([{ event: "item", reason: "the path is too long" }, { code: "UNSAFE_PATHS" }]);
    expect(requests.length - before).toBeLessThan(60);
    await expect(access(join(person.cwd, "deep"))).rejects.toThrow("ENOENT");
  }
  const events = await get(url, [String(top), "-o", "shallow", "--exclude", "deep/"], 0);
  expect(events.at(-1)).toMatchObject({ files: 1, written: 1 });
});

test("a small folder whose paths would fill the memory is refused", async () => {
  const { blocks, file, folder } = createBlocks();
  const Hash = await file;
  const wide = await folder(Array.from({ length: 5_000 }, (_, at) => ({ Name: `file ${at}`, Hash })));
  const many = await folder(Array.from({ length: 100 }, (_, at) => ({ Name: `folder ${at}`, Hash: wide })));
  const { url } = await startGateway(blocks, { ways: ["raw"] });
  const events = await get(url, [String(await nest(folder, many, 19))]);
  expect(events).toMatchObject([{ code: "TOO_MANY_ROWS", message: expect.stringContaining("paths") }]);
});

test("checking and renaming paths takes no longer than reading them, however deep they are", () => {
  const folder = Array.from({ length: 2_000 }, (_, at) => "ab"[at % 2]).join("/");
  const files = Array.from({ length: 5_000 }, (_, at) => `${folder}/${at}`);
  expect(findUnsafePaths(files, [])).toEqual([]);
  expect(listFolders(files, [])).toHaveLength(2_000);
  expect(toSafePaths(files)(String(files[7]))).toBe(files[7]);
  // Names that no system can tell apart.
  const same = Array.from({ length: 20_000 }, (_, at) => `${"\u200d".repeat(at % 200)}${"\u2060".repeat(at / 200)}x`);
  expect(findUnsafePaths(same, [])).toHaveLength(same.length - 1);
  const names = same.map(toSafePaths(same));
  expect(new Set(names).size).toBe(same.length);
  expect(findUnsafePaths(names, []).filter(({ reason }) => reason.startsWith("it collides"))).toEqual([]);
});
