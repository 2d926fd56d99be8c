import { expect, test } from "vitest";
import { createKit, type FolderEntry, listFolder, upload, uploadEncrypted } from "../../src/index.ts";
import { devnetForTests } from "../support/devnet-wire.ts";
import { failure } from "../support/failure.ts";
import { optionsOf, toFiles } from "./rig.ts";

const devnet = devnetForTests({ gateways: 2 });

async function list(cid: string, path?: string): Promise<FolderEntry[]> {
  const entries: FolderEntry[] = [];
  for await (const entry of listFolder(cid, { endpoints: devnet().endpoints, path })) entries.push(entry);
  return entries.sort((one, other) => (one.name < other.name ? -1 : 1));
}

async function uploadFolder(tree: Record<string, string>, cidVersion: 0 | 1 = 1): Promise<string> {
  const { apiKey, endpoints } = await optionsOf(devnet());
  const [root] = await upload(toFiles(tree), { apiKey, endpoints, cidVersion });
  return root.Hash;
}

test.each([0, 1] as const)(
  "lists files and folders with their sizes, with content ids of version %s",
  async (version) => {
    const cid = await uploadFolder({ "a.txt": "one", "sub/b.txt": "three", "sub/c/d.txt": "" }, version);
    expect(await list(cid)).toMatchObject([
      { name: "a.txt", type: "file", size: 3 },
      { name: "sub", type: "folder" },
    ]);
    expect(await list(cid, "sub")).toMatchObject([
      { name: "b.txt", type: "file", size: 5 },
      { name: "c", type: "folder" },
    ]);
    const [, sub] = await list(cid);
    expect(await list(sub?.cid ?? "", "c")).toMatchObject([{ name: "d.txt", type: "file", size: 0 }]);
  },
);

test("refuses files, paths that are not there, and encrypted files", async () => {
  const cid = await uploadFolder({ "a.txt": "one" });
  expect((await failure(list(cid, "a.txt"))).code).toBe("UNSUPPORTED");
  expect((await failure(list(cid, "b.txt"))).code).toBe("PATH_NOT_FOUND");
  expect((await failure(list(cid, "../a"))).code).toBe("INVALID_OPTION");
  const [{ Hash }] = await uploadEncrypted(new File(["x"], "x"), await optionsOf(devnet()));
  expect((await failure(list(Hash))).code).toBe("UNSUPPORTED");
});

test("stops when its reader stops, or is aborted", async () => {
  const cid = await uploadFolder(Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`${at}.txt`, `${at}`])));
  const { endpoints } = devnet();
  for await (const { name } of createKit({ endpoints }).listFolder(cid)) {
    expect(name).toMatch(/txt$/);
    break;
  }
  const controller = new AbortController();
  controller.abort();
  const entries = listFolder(cid, { endpoints, signal: controller.signal });
  expect((await failure(entries.next())).code).toBe("ABORTED");
});
