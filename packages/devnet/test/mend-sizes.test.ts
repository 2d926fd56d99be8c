import { UnixFS } from "ipfs-unixfs";
import { expect, test } from "vitest";
import { mendSizes } from "../src/content/importer.ts";

const GIB = 2n ** 30n;

test.each([
  ["one byte less than 2 GiB", [2n * GIB - 1n]],
  ["2 GiB", [2n * GIB]],
  ["3 GiB of parts", Array.from({ length: 12 }, () => GIB / 4n)],
  ["one byte less than 4 GiB, as a part of more", [4n * GIB - 1n, 5n * GIB]],
])("a file of %s is encoded with its sizes", (_, blockSizes) => {
  mendSizes();
  const encoded = new UnixFS({ type: "file", blockSizes: [...blockSizes] }).marshal();
  const decoded = UnixFS.unmarshal(encoded);
  expect(decoded).toMatchObject({ type: "file", blockSizes });
  expect(decoded.fileSize()).toBe(blockSizes.reduce((sum, size) => sum + size));
  // As long as all numbers are encoded as short as possible.
  const varints = [...blockSizes, decoded.fileSize() ?? 0n].map((size) => Math.ceil(size.toString(2).length / 7) + 1);
  expect(encoded).toHaveLength(varints.reduce((sum, length) => sum + length, 2));
});
