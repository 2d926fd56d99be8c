import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { leafHasher as pageLeafHasher } from "../../src/platform/browser/hashing.ts";
import { leafHasher } from "../../src/platform/node/crypto.ts";

const KIB = 1024;

test.each([
  ["in Node", leafHasher],
  ["in a page", pageLeafHasher],
])("leaves in any pieces, one after another, are hashed %s", async (_, create) => {
  const hasher = create(1024 * KIB);
  for (const sizes of [[0], [1], [0, 5], [3, 0], [256 * KIB], [100, 200, 300], [1, 256 * KIB], [700 * KIB, 1], [2]]) {
    const pieces = sizes.map((size, at) => new Uint8Array(size).fill(at + size));
    const expected = createHash("sha256").update(Buffer.concat(pieces)).digest("hex");
    const last = pieces.pop() as Uint8Array;
    for (const piece of pieces) {
      hasher.add(piece);
      // The hasher must not keep a reference to its input.
      piece.fill(0xee);
    }
    expect(Buffer.from(await hasher.end(last)).toString("hex")).toBe(expected);
  }
});
