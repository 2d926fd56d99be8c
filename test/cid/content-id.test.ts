import fc from "fast-check";
import { base16, base16upper } from "multiformats/bases/base16";
import { base32, base32upper } from "multiformats/bases/base32";
import { base58btc } from "multiformats/bases/base58";
import { CID } from "multiformats/cid";
import { create } from "multiformats/hashes/digest";
import { expect, test } from "vitest";
import { encodeCid, formatCid, fromMultibase, readCid, toMultibase } from "../../src/formats/cid/content-id.ts";

const oracles = { b: base32, B: base32upper, f: base16, F: base16upper, z: base58btc };
const bases = Object.keys(oracles) as (keyof typeof oracles)[];

test("encodes and decodes bytes as multiformats does, in every base", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), fc.constantFrom(...bases), (bytes, base) => {
      const text = toMultibase(bytes, base);
      expect(text).toBe(oracles[base].encode(bytes));
      expect(fromMultibase(text)).toEqual({ bytes, base });
    }),
    { numRuns: 1_000 },
  );
});

test("encodes and decodes CIDs as multiformats does, in every form", () => {
  const digests = fc.uint8Array({ minLength: 32, maxLength: 32 });
  fc.assert(
    fc.property(digests, fc.constantFrom("raw", "dag-pb"), fc.constantFrom(...bases), (digest, codec, base) => {
      const hash = create(0x12, digest);
      const v0 = encodeCid(0, "dag-pb", digest);
      expect(formatCid(v0, base)).toBe(CID.createV0(hash).toString());
      expect(readCid(formatCid(v0))).toEqual({ version: 0, codec: "dag-pb", bytes: v0, base: "Q" });
      const v1 = encodeCid(1, codec, digest);
      expect(formatCid(v1, base)).toBe(CID.createV1(codec === "raw" ? 0x55 : 0x70, hash).toString(oracles[base]));
      expect(readCid(formatCid(v1, base))).toEqual({ version: 1, codec, bytes: v1, base });
    }),
    { numRuns: 1_000 },
  );
});

const digest = new Uint8Array(32).fill(7);

test.each([
  ["another hash function", CID.createV1(0x55, create(0x1e, digest)).toString()],
  ["another codec", CID.createV1(0x71, create(0x12, digest)).toString()],
  ["a shorter digest", CID.createV1(0x55, create(0x12, digest.subarray(0, 20))).toString()],
  ["an unknown multibase", "hello"],
  ["an empty string", ""],
  ["a digit outside of the base", `b${"0".repeat(58)}`],
  ["half a byte too many", `${formatCid(encodeCid(1, "raw", digest), "f")}0`],
  ["padding that is not zero", `${formatCid(encodeCid(1, "raw", digest)).slice(0, -1)}p`],
])("rejects %s as a CID that can be computed", (_, text) => {
  expect(readCid(text)).toBeUndefined();
});
