import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exporter } from "ipfs-unixfs-exporter";
import type { CID } from "multiformats/cid";
import { expect, test } from "vitest";
import { account, add, getApiKey } from "../../../test/support/devnet-wire.ts";
import { type DevnetOptions, startDevnet } from "../src/index.ts";
import { createTree, encodeCar } from "./car.ts";
import { exportByBlocks, exportFromCar, fetchCar } from "./gateway-client.ts";

const FILES = Number(process.env["DEVNET_FOLDER_FILES"] ?? 6_000);
const MIB = 1024 * 1024;

test.each<[string, DevnetOptions, number]>([
  ["256 KiB, version 0", {}, 0],
  ["256 KiB, version 1", {}, 1],
  ["1 MiB and 1,024 links", { chunking: { chunkBytes: MIB, links: 1_024 } }, 1],
])("a file of 24 MiB in chunks of %s is read by blocks and in parts", async (_, options, version) => {
  const content = randomBytes(24 * MIB + 12_345);
  const devnet = await startDevnet(options);
  try {
    const bearer = await getApiKey(devnet, account(devnet, 0));
    const response = await add(devnet, bearer, { content }, `cid-version=${version}`);
    const { Hash: cid } = (await response.json()) as { Hash: string };
    const { gateway } = devnet.endpoints;
    expect((await exportByBlocks(gateway, cid)).equals(content)).toBe(true);
    expect((await exportFromCar(await fetchCar(gateway, cid), cid)).equals(content)).toBe(true);
    for (let offset = 7; offset < content.byteLength; offset += 9_999_999) {
      const part = content.subarray(offset, offset + MIB);
      const car = await fetchCar(gateway, `${cid}?entity-bytes=${offset}:${offset + part.byteLength - 1}`);
      const bytes = await exportFromCar(car, cid, { offset, length: part.byteLength });
      expect(bytes.equals(part)).toBe(true);
      expect(car.length).toBeLessThan(10);
    }
  } finally {
    await devnet.close();
  }
});

test(`a sharded folder of ${FILES} files is listed and read by path, also after a restart`, async () => {
  const names = Array.from({ length: FILES }, (_, n) => `file ${n}.txt`);
  const { root, blocks } = await createTree(Object.fromEntries(names.map((name) => [`d/${name}`, Buffer.from(name)])));
  const dataDir = await mkdtemp(join(tmpdir(), "devnet-blocks-"));
  try {
    const first = await startDevnet({ dataDir });
    const body = new FormData();
    body.append("file", new Blob([encodeCar([root], blocks)]), "d.car");
    const headers = { authorization: `Bearer ${await getApiKey(first, account(first, 0))}` };
    const imported = await fetch(`${first.endpoints.upload}/api/v0/dag/import`, { method: "POST", body, headers });
    expect(imported.status).toBe(200);
    await first.close();

    const second = await startDevnet({ dataDir });
    const { gateway } = second.endpoints;
    const listing = new Map(
      (await fetchCar(gateway, `${root}?dag-scope=entity`)).map((one) => [`${one.cid}`, one.bytes]),
    );
    expect(listing.size).toBeLessThan(FILES / 5);
    const folder = await exporter(root, {
      async *get(cid: CID) {
        yield listing.get(cid.toString()) ?? new Uint8Array(0);
      },
    });
    const listed: string[] = [];
    if (folder.type === "directory") for await (const { name } of folder.entries()) listed.push(name);
    expect(listed.sort()).toEqual([...names].sort());
    for (let at = 0; at < names.length; at += 997) {
      const path = await fetchCar(gateway, `${root}/${encodeURIComponent(names[at] ?? "")}`);
      expect((await exportFromCar(path, `${root}/${names[at]}`)).toString()).toBe(names[at]);
      expect(path.length).toBeLessThan(6);
    }
    expect(await fetchCar(gateway, String(root))).toHaveLength(blocks.length);
    await second.close();
  } finally {
    await rm(dataDir, { recursive: true });
  }
});
