import { exporter } from "ipfs-unixfs-exporter";
import { CID } from "multiformats/cid";
import { expect, test } from "vitest";
import { listFolder, openFile, upload } from "../../src/index.ts";
import { account, devnetForTests, getApiKey } from "../support/devnet-wire.ts";
import { failure } from "../support/failure.ts";

const FILES = Number(process.env["KEEPLIGHT_FOLDER_FILES"] ?? 8_000);
const EVERY = 100;

const devnet = devnetForTests({ gateways: 1 });
const toName = (at: number) => `file ${at}, ${"ü".repeat(at % 7)}.txt`;

/** Blocks as a gateway sends them, for the exporter of IPFS. */
function createRemoteBlocks(gateway: string) {
  return {
    async *get(cid: CID) {
      const response = await fetch(`${gateway}/ipfs/${cid}?format=raw`);
      yield new Uint8Array(await response.arrayBuffer());
    },
  };
}

test(`of a sharded folder of ${FILES} files, each is read by its path as the exporter reads it`, async () => {
  const { endpoints, gateways } = devnet();
  const apiKey = await getApiKey(devnet(), account(devnet(), 0));
  const files = Array.from({ length: FILES }, (_, at) => new File([`content of ${at}`], toName(at)));
  const [folder] = await upload(files, { apiKey, endpoints, cidVersion: 1, wrapWithDirectory: true });
  const root = folder?.Hash ?? "";

  const blocks = createRemoteBlocks(gateways[0] ?? "");
  const entry = await exporter(CID.parse(root), blocks);
  if (entry.type !== "directory") throw new Error("it is no folder");
  expect(entry.unixfs.type).toBe("hamt-sharded-directory");
  const names: string[] = [];
  for await (const { name } of entry.entries()) names.push(name);
  expect(names.sort()).toEqual(Array.from({ length: FILES }, (_, at) => toName(at)).sort());

  const listed: string[] = [];
  for await (const { name, type } of listFolder(root, { endpoints })) listed.push(type === "file" ? name : "");
  expect(listed.length).toBe(FILES);
  expect(listed.sort().join()).toBe(names.join());

  for (let at = 0; at < FILES; at += EVERY) {
    const file = await openFile(root, { path: toName(at), endpoints });
    expect(new TextDecoder().decode(await file.read(0, file.size))).toBe(`content of ${at}`);
    const exported = await exporter(`${root}/${toName(at)}`, blocks);
    if (exported.type !== "raw") throw new Error("it is no file of one raw block");
    expect(exported.node).toEqual(await file.read(0, file.size));
  }
  const missing = await failure(openFile(root, { path: toName(FILES), endpoints }));
  expect(missing.code).toBe("PATH_NOT_FOUND");
});
