import { Inclusion, Proof, Segment } from "@web3-storage/data-segment";
import fc from "fast-check";
import { expect, test } from "vitest";
import { computeRoot, encodeRecord, findIndexStart, hashNode } from "../src/aggregate.ts";

const node = fc.uint8Array({ minLength: 32, maxLength: 32 });
const size = fc.integer({ min: 7, max: 52 }).map((bits) => 1n << BigInt(bits));

test("index records, with their checksums, are encoded as by the network's own library", () => {
  fc.assert(
    fc.property(node, size, fc.bigInt({ min: 0n, max: 2n ** 40n }), (root, pieceSize, at) => {
      const offset = at * 128n;
      const record = encodeRecord({ commitment: root, offset, size: pieceSize });
      const expected = Segment.toBytes({ root, offset, size: pieceSize } as Parameters<typeof Segment.toBytes>[0]);
      expect(record).toEqual(new Uint8Array(expected));
      expect(hashNode(record)).toEqual(Proof.truncatedHash(record));
    }),
  );
});

test("any path leads to the root that the network's own library computes", () => {
  const paths = fc.array(node, { maxLength: 63 }).chain((path) =>
    fc.record({
      path: fc.constant(path),
      offset: fc.bigInt({ min: 0n, max: (1n << BigInt(path.length)) - 1n }),
    }),
  );
  fc.assert(
    fc.property(paths, node, (path, leaf) => {
      const { ok } = Proof.resolveRoot(Proof.create(path) as Parameters<typeof Proof.resolveRoot>[0], leaf);
      expect(computeRoot(path, leaf)).toEqual(ok);
    }),
  );
});

test("the index of an aggregate of any size starts where the network's own library says", () => {
  for (let bits = 9n; bits < 53n; bits++) {
    const aggregate = (1n << bits) as Parameters<typeof Inclusion.indexAreaStart>[0];
    expect(findIndexStart(aggregate)).toBe(Inclusion.indexAreaStart(aggregate));
  }
});
