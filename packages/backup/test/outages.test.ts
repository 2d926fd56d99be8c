import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Wallet } from "ethers";
import { afterEach, expect, test } from "vitest";
import { type EndpointOptions, listFiles } from "../../../src/index.ts";
import { devnetForTests } from "../../../test/support/devnet-wire.ts";
import { failure } from "../../../test/support/failure.ts";
import { backupFolder, diffSnapshots, listEntries, restoreBackup } from "../src/index.ts";
import { prepareBackup } from "./rig.ts";

// Gateways that do not have all packs now.

const devnet = devnetForTests();

afterEach(() => devnet().faults.clear());

const collect = async <T>(items: AsyncIterable<T>) => {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
};

async function listPacks({ apiKey, endpoints }: { apiKey: string; endpoints: EndpointOptions }) {
  const { fileList } = await listFiles({ apiKey, endpoints });
  return fileList.filter(({ fileName }) => fileName?.endsWith(".pack")).map(({ cid }) => cid);
}

type Action = Parameters<ReturnType<typeof devnet>["faults"]["add"]>[0]["action"];

const failPacks = (packs: readonly string[], action: Action) =>
  devnet().faults.add({ service: "gateway", path: new RegExp(packs.join("|")), action });

/** Makes two snapshots, of which the second has one more file, `b`, in a pack of its own that has the list, too. */
async function prepareTwo(files: Readonly<Record<string, string>>) {
  const prepared = await prepareBackup(devnet(), files, { owner: Wallet.createRandom() });
  const { folder, options } = prepared;
  const first = await backupFolder(folder, options);
  const packs = await listPacks(options);
  await writeFile(join(folder, "b"), "more");
  const second = await backupFolder(folder, options);
  return { ...prepared, first, second, packs };
}

test("a pack that a gateway does not have now, but may have, stops neither a list nor the files of other packs", async () => {
  const { place, options, reader, first, second, packs } = await prepareTwo({ a: "one" });
  failPacks(packs, { kind: "respond", status: 504 });
  const to = join(place, "to");
  const error = await failure(restoreBackup(second.cid, to, reader));
  expect(error).toMatchObject({ code: "RESTORE_UNFINISHED", details: { failed: [{ path: "a" }] } });
  expect(await readFile(join(to, "b"), "utf8")).toBe("more");
  expect((await collect(listEntries(second.cid, reader))).map(({ path }) => path)).toEqual(["a", "b"]);
  // The list of the first snapshot is in the pack that is not there.
  const refused = { code: "HTTP_STATUS", details: { status: 504 } };
  expect(await failure(collect(diffSnapshots(first.cid, second.cid, reader)))).toMatchObject(refused);
  failPacks(await listPacks(options), { kind: "respond", status: 504 });
  expect(await failure(restoreBackup(second.cid, to, reader))).toMatchObject(refused);
  devnet().faults.clear();
  expect(await restoreBackup(second.cid, to, reader)).toMatchObject({ files: 2, restored: 1 });
});

test.each([
  [31, "RESTORE_UNFINISHED"],
  [32, "NETWORK"],
])("%i files in a row whose chunks get no response end a restore with %s", async (count, code) => {
  const names = Array.from({ length: count }, (_, at) => `c${at + 10}`);
  const files = Object.fromEntries(names.map((name) => [name, name]));
  const { place, reader, second, packs } = await prepareTwo(files);
  // The first file is `b`: by then all packs were opened.
  const onProgress = () => void failPacks(packs, { kind: "reset" });
  const error = await failure(restoreBackup(second.cid, join(place, "to"), { ...reader, workers: 1, onProgress }));
  expect(error.code).toBe(code);
  const failed = names.map((path) => ({ path, code: "NETWORK" }));
  if (code === "RESTORE_UNFINISHED") expect(error.details).toEqual({ failed });
});
