import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { InclusionProof, ProofResponse } from "../../../src/index.ts";
import { failure } from "../../../test/support/failure.ts";
import { verifyProof } from "../src/index.ts";
import { createAggregate, createIndexRecord, createPiece } from "./aggregates.ts";

/** Returns `proof` with the value at this path replaced. */
function replaceAt(proof: InclusionProof, path: string, value: unknown): InclusionProof {
  const copy = structuredClone(proof);
  const names = path.split(".");
  const last = names.pop() ?? "";
  let holder = copy as unknown as Record<string, unknown>;
  for (const name of names) holder = holder[name] as Record<string, unknown>;
  holder[last] = value;
  return copy;
}

const pieces = [100, 1_000, 130, 4_000, 65].map(createPiece);
const { root, proofs } = createAggregate(pieces, 2 ** 20);
const proof = proofs[1] as InclusionProof;
const createResponse = (...list: InclusionProof[]): ProofResponse => ({
  dealInfo: list.map((proof, at) => ({ dealId: at + 1, storageProvider: "f01", proof })),
});

test("the proof of every piece of an aggregate leads to its root", async () => {
  for (const [at, proof] of proofs.entries()) {
    const verified = await verifyProof(proof);
    expect(verified).toMatchObject({ valid: true, root, aggregateSize: 2 ** 20, pieceSize: Number(pieces[at]?.size) });
    expect(verified.offset % verified.pieceSize).toBe(0);
  }
});

test("the proofs of any aggregate are valid", async () => {
  const sizes = fc.array(fc.integer({ min: 65, max: 5_000 }), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(sizes, fc.integer({ min: 16, max: 24 }), async (payloads, log) => {
      const { root, proofs } = createAggregate(payloads.map(createPiece), 2 ** log);
      for (const proof of proofs) {
        expect(await verifyProof(proof)).toMatchObject({ root, aggregateSize: 2 ** log });
      }
    }),
    { numRuns: 50 },
  );
});

describe("a whole response", () => {
  test("yields each deal", async () => {
    const other = createAggregate(pieces.slice(1), 2 ** 17);
    const { deals, ...rest } = await verifyProof(createResponse(proof, other.proofs[0] as InclusionProof));
    expect(rest).toEqual({ valid: true, pieceCid: deals[0]?.pieceCid, pieceSize: 1024 });
    expect(deals.map(({ dealId, root }) => ({ dealId, root }))).toEqual([
      { dealId: 1, root },
      { dealId: 2, root: other.root },
    ]);
  });

  test("may name the piece of the data or of an aggregate, in any case, and no other", async () => {
    const response = createResponse(proof);
    const { deals } = await verifyProof(response);
    const { pieceCid = "", aggregateCid = "" } = deals[0] ?? {};
    for (const pieceCID of [pieceCid, aggregateCid, pieceCid.toUpperCase()]) {
      expect(await verifyProof({ ...response, pieceCID })).toMatchObject({ valid: true });
    }
    const digits = "abcdefghijklmnopqrstuvwxyz234567";
    for (const [at, digit] of [...pieceCid].entries()) {
      const other = digits.charAt((digits.indexOf(digit) + 1) % digits.length);
      const pieceCID = pieceCid.slice(0, at) + other + pieceCid.slice(at + 1);
      expect((await failure(verifyProof({ ...response, pieceCID }))).code, `character ${at}`).toBe("PROOF_INVALID");
    }
  });

  test("is refused if one deal is bad, and the error names the deal", async () => {
    const bad = replaceAt(proof, "indexRecord.proofSubtree", 0);
    const error = await failure(verifyProof(createResponse(proof, bad)));
    expect(error).toMatchObject({ code: "PROOF_INVALID", details: { dealId: 2 } });
  });

  test("is refused without deals, and with deals about different pieces", async () => {
    expect((await failure(verifyProof({ dealInfo: [] }))).details).toEqual({ field: "dealInfo" });
    const error = await failure(verifyProof(createResponse(proof, proofs[0] as InclusionProof)));
    expect(error).toMatchObject({ message: "The proof does not hold: the deals are about different pieces" });
  });
});

const hash = "0".repeat(64);
const { proofIndex: indexPath, proofSubtree: subtreePath } = proof.inclusionProof;

test.each<[problem: string, path: string, value: unknown]>([
  ["the size of the piece is not a power of two", "verifierData.sizePc", "3ff"],
  ["the size of the piece is not a power of two", "verifierData.sizePc", "40"],
  ["the index record states another size of the piece", "verifierData.sizePc", "800"],
  ["the index record states another size of the piece", "indexRecord.size", 2048],
  ["the index record is about another piece", "indexRecord.proofIndex", hash],
  ["the index record states another offset of the piece", "indexRecord.proofSubtree", 1],
  ["the index record states another offset of the piece", "inclusionProof.proofSubtree.index", "0"],
  ["the checksum of the index record is wrong", "indexRecord.checksum", "0".repeat(32)],
  ["the two paths are not of trees of one size", "inclusionProof.proofIndex.path", [...indexPath.path, hash]],
  ["the two paths are not of trees of one size", "inclusionProof.proofSubtree.path", []],
  ["the aggregate is too large", "inclusionProof.proofSubtree.path", Array.from({ length: 63 }, () => hash)],
  ["the index record is outside of the index", "inclusionProof.proofIndex.index", "1"],
  ["the index record is outside of the tree", "inclusionProof.proofIndex.index", (2 ** 14).toString(16)],
  ["the two paths lead to different roots", "inclusionProof.proofSubtree.path", [...subtreePath.path].reverse()],
])("the error reports that %s (%s)", async (problem, path, value) => {
  const error = await failure(verifyProof(replaceAt(proof, path, value)));
  expect(error).toMatchObject({ code: "PROOF_INVALID", message: `The proof does not hold: ${problem}` });
});

test("a piece that reaches into the index is refused, though its record is consistent", async () => {
  const { proofs, indexEntries } = createAggregate([createPiece(65, 1)], 2 ** 16);
  const { verifierData } = proofs[0] as InclusionProof;
  const position = 2 ** 16 / 128 - (indexEntries * 64) / 128;
  const moved = replaceAt(proofs[0] as InclusionProof, "inclusionProof.proofSubtree.index", position.toString(16));
  const offset = position * 128;
  const forged = replaceAt(moved, "indexRecord", createIndexRecord(verifierData.commPc.slice(-64), 128, offset));
  const error = await failure(verifyProof(forged));
  expect(error.message).toBe("The proof does not hold: the piece reaches into the index");
});

test.each<[field: string, value: unknown]>([
  ["it", undefined],
  ["it", "proof"],
  ["verifierData", {}],
  ["verifierData.commPc", replaceAt(proof, "verifierData.commPc", "0x00")],
  ["verifierData.sizePc", replaceAt(proof, "verifierData.sizePc", "0x400")],
  ["inclusionProof.proofSubtree.path.1", replaceAt(proof, "inclusionProof.proofSubtree.path", [hash, "FF".repeat(32)])],
  ["inclusionProof.proofIndex.path", replaceAt(proof, "inclusionProof.proofIndex.path", new Array(64).fill(hash))],
  ["indexRecord.size", replaceAt(proof, "indexRecord.size", 0.5)],
  ["indexRecord.proofSubtree", replaceAt(proof, "indexRecord.proofSubtree", -1024)],
  ["dealInfo.0.proof", { dealInfo: [{ dealId: 1, storageProvider: "f01" }] }],
])("the error reports that %s is malformed", async (field, value) => {
  const error = await failure(verifyProof(value as InclusionProof));
  expect(error).toMatchObject({ code: "PROOF_INVALID", message: `The proof does not hold: ${field} is malformed` });
});
