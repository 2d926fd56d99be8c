import { expect, test } from "vitest";
import type { InclusionProof } from "../../../src/index.ts";
import sample from "../../../test/vectors/podsi-calibration.json" with { type: "json" };
import { verifyProof } from "../src/index.ts";

const NIBBLES = "0123456789abcdef";
const ROOT = "61857fc1ae3a26cd3521cbf387fe43ed70949522af39c2f80601b85fd999a831";

const proof = sample.dealInfo[0]?.proof;
if (!proof) throw new Error("the sample has no deal");

type Change = { what: string; proof: InclusionProof };

/** Yields the proof with each nibble of its strings and numbers replaced by each of the 15 others. */
function* generateChanges(original: InclusionProof): Generator<Change> {
  const copy = structuredClone(original);
  function* changeFields(holder: object, path: string): Generator<Change> {
    for (const [key, value] of Object.entries(holder) as [string, unknown][]) {
      const at = `${path}.${key}`;
      const set = (changed: unknown) => Object.assign(holder, { [key]: changed });
      if (typeof value === "string") {
        for (let nibble = 0; nibble < value.length; nibble++) {
          for (const other of NIBBLES) {
            if (other === value[nibble]) continue;
            set(value.slice(0, nibble) + other + value.slice(nibble + 1));
            yield { what: `${at}[${nibble}] = ${other}`, proof: copy };
          }
        }
      } else if (typeof value === "number") {
        for (let nibble = 0; nibble < 13; nibble++) {
          const weight = 16 ** nibble;
          const digit = Math.floor(value / weight) % 16;
          for (let other = 0; other < 16; other++) {
            if (other === digit) continue;
            set(value + (other - digit) * weight);
            yield { what: `${at} nibble ${nibble} = ${other}`, proof: copy };
          }
        }
      } else if (typeof value === "object" && value !== null) {
        yield* changeFields(value, at);
        continue;
      }
      set(value);
    }
  }
  yield* changeFields(copy, "proof");
}

test("the proof of a real deal is valid", async () => {
  const place = { valid: true, root: ROOT, pieceSize: 512, offset: 7_340_032, aggregateSize: 64 * 1024 * 1024 };
  const pieceCid = "baga6ea4seaqp6fue72pufxgwayatinwra2z7ncqs3ctulpg2eop76ddbu7hy2aa";
  expect(await verifyProof(proof)).toMatchObject({ ...place, pieceCid });
  const { deals } = await verifyProof(sample);
  expect(deals).toEqual([expect.objectContaining({ ...place, pieceCid, dealId: 180_313, storageProvider: "17840" })]);
});

test("a change of any nibble makes it invalid", async () => {
  const accepted: string[] = [];
  let tried = 0;
  for (const { what, proof: changed } of generateChanges(proof)) {
    tried++;
    const code = await verifyProof(changed).then(
      () => "accepted",
      (error: { code?: unknown }) => error.code,
    );
    if (code !== "PROOF_INVALID") accepted.push(`${what}: ${code}`);
  }
  expect(accepted).toEqual([]);
  expect(tried).toBe(15 * ((20 + 17) * 64 + 5 + 4 + 78 + 3 + 32 + 64 + 2 * 13));
}, 600_000);
