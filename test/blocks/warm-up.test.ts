import { balanced } from "ipfs-unixfs-importer/layout";
import { expect, test } from "vitest";
import { openFile } from "../../src/index.ts";
import { eventually } from "../support/eventually.ts";
import { startGateway } from "./stand-in.ts";
import { makeBytes, shapes, storeFile } from "./trees.ts";

test("a player that seeks in a large file finds what leads to its parts already fetched", async () => {
  // Three levels: parts of 4 MiB of 16 blocks each.
  const content = makeBytes(20_000_000);
  const layout = balanced({ maxChildrenPerNode: 16 });
  const { cid, blocks } = await storeFile(content, { ...shapes["256 KiB, version 1"], layout });
  const gateway = await startGateway(blocks, { ways: ["raw", "range"] });
  const file = await openFile(cid, { endpoints: { gateway: gateway.url } });
  // Ids of blocks that are not leaves, as often as they were requested.
  const listNodes = () =>
    gateway.requests.flatMap(({ path, headers }) => (path.startsWith("/ipfs/bafy") && !headers.range ? path : []));
  expect(listNodes()).toEqual([`/ipfs/${cid}`]);

  await file.read(0, 16);
  const reader = file.stream({ mayJump: true }).getReader();
  await reader.read();
  await reader.read();
  await eventually(() => expect(new Set(listNodes()).size).toBe(6));
  const before = new Set(listNodes());
  expect(Buffer.compare(await file.read(18_000_000, 18_000_100), content.subarray(18_000_000, 18_000_100))).toBe(0);
  // The last of them may still be on its way.
  expect(new Set(listNodes())).toEqual(before);
  await reader.cancel();
});
