import fc from "fast-check";
import { expect, it } from "vitest";
import { kavachGenerate, kavachShardKey } from "../../src/keys/shards/generate.ts";
import { kavachRecoverKey } from "../../src/keys/shards/recover.ts";
import type { KeyShard, ShardScheme } from "../../src/keys/shards/schemes.ts";
import { ORDER, toHex } from "./shard-tools.ts";

const runs = { numRuns: 1_000 };

type Point = { x: bigint; y: bigint };

const element = fc.bigInt({ min: 0n, max: ORDER - 1n });
const nonZero = fc.bigInt({ min: 1n, max: ORDER - 1n });
const counts = fc
  .record({ threshold: fc.integer({ min: 2, max: 6 }), extra: fc.integer({ min: 0, max: 4 }) })
  .map(({ threshold, extra }) => ({ threshold, keyCount: threshold + extra }));

function mod(value: bigint): bigint {
  const rest = value % ORDER;
  return rest < 0n ? rest + ORDER : rest;
}

/**
 * Whether the polynomial of the lowest degree through these points has this value at a place: the textbook formula
 * (Lagrange) as a sum of fractions, compared over their common denominator. It uses no inverse, unlike the sources.
 */
function passesThrough(points: readonly Point[], at: bigint, value: bigint): boolean {
  let [above, below] = [0n, 1n];
  for (const { x, y } of points) {
    let [termAbove, termBelow] = [y, 1n];
    for (const other of points) {
      if (other.x === x) continue;
      termAbove = mod(termAbove * (at - other.x));
      termBelow = mod(termBelow * (x - other.x));
    }
    [above, below] = [mod(above * termBelow + termAbove * below), mod(below * termBelow)];
  }
  return below !== 0n && mod(value * below) === above;
}

function toPoint({ key, index }: KeyShard): Point {
  return { x: BigInt(`0x${index}`), y: BigInt(`0x${key}`) };
}

function toShard({ x, y }: Point): KeyShard {
  return { key: toHex(y), index: toHex(x) };
}

it("a split key's shards are on a polynomial of degree threshold − 1 through the key, by the textbook formula", async () => {
  await fc.assert(
    fc.asyncProperty(element, counts, async (key, { threshold, keyCount }) => {
      const { keyShards } = await kavachShardKey(toHex(key), { threshold, keyCount });
      const points = keyShards.map(toPoint);
      const base = points.slice(0, threshold);
      expect(passesThrough(base, 0n, key)).toBe(true);
      for (const { x, y } of points) {
        expect(x > 0n && x < ORDER).toBe(true);
        expect(passesThrough(base, x, y)).toBe(true);
      }
      // One point fewer does not determine it: the degree is not lower.
      expect(passesThrough(points.slice(0, threshold - 1), 0n, key)).toBe(false);
    }),
    runs,
  );
});

it("any polynomial's points yield its constant term", async () => {
  const polynomials = fc.record({
    coefficients: fc.array(element, { minLength: 2, maxLength: 6 }),
    places: fc.uniqueArray(nonZero, { minLength: 8, maxLength: 8 }),
    extra: fc.integer({ min: 0, max: 2 }),
  });
  await fc.assert(
    fc.asyncProperty(polynomials, async ({ coefficients, places, extra }) => {
      const threshold = coefficients.length;
      const shards = places.slice(0, threshold + extra).map((x) => {
        const y = coefficients.reduceRight((sum, coefficient) => mod(sum * x + coefficient), 0n);
        return toShard({ x, y });
      });
      const { masterKey, faultyShards } = await kavachRecoverKey(shards, { threshold });
      expect(masterKey).toBe(toHex(coefficients[0] ?? -1n));
      expect(faultyShards).toEqual([]);
    }),
    runs,
  );
});

it("exactly threshold points yield the same key as the textbook formula, right or wrong", async () => {
  const points = fc.uniqueArray(fc.record({ x: nonZero, y: element }), {
    minLength: 2,
    maxLength: 6,
    selector: ({ x }) => x,
  });
  await fc.assert(
    fc.asyncProperty(points, async (chosen) => {
      const { masterKey } = await kavachRecoverKey(chosen.map(toShard), { threshold: chosen.length });
      expect(passesThrough(chosen, 0n, BigInt(`0x${masterKey}`))).toBe(true);
    }),
    runs,
  );
});

it("any one faulty shard among threshold + 2 is identified, regardless of its value", async () => {
  const faults = fc.record({ threshold: fc.integer({ min: 2, max: 5 }), faulty: fc.nat(), value: element });
  await fc.assert(
    fc.asyncProperty(faults, async ({ threshold, faulty, value }) => {
      const { masterKey, keyShards } = await kavachGenerate({ threshold, keyCount: threshold + 2 });
      const position = faulty % keyShards.length;
      const shards = keyShards.map((shard, other) => (other === position ? { ...shard, key: toHex(value) } : shard));
      expect(await kavachRecoverKey(shards, { threshold })).toEqual({ masterKey, faultyShards: [position] });
    }),
    runs,
  );
});

it("gf256 recovers any bytes, and identifies one faulty shard, whichever byte differs", async () => {
  const secrets = fc.record({
    secret: fc.uint8Array({ minLength: 1, maxLength: 80 }),
    counts,
    faulty: fc.nat(),
    at: fc.nat(),
    flip: fc.integer({ min: 1, max: 255 }),
  });
  await fc.assert(
    fc.asyncProperty(secrets, async ({ secret, counts: { threshold, keyCount }, faulty, at, flip }) => {
      const hex = Array.from(secret, (byte) => byte.toString(16).padStart(2, "0")).join("");
      const { keyShards } = await kavachShardKey(hex, { threshold, keyCount, scheme: "gf256" });
      expect(await kavachRecoverKey(keyShards, { threshold })).toEqual({ masterKey: hex, faultyShards: [] });
      if (keyCount < threshold + 2) return;
      const position = faulty % keyCount;
      const start = 2 * (at % secret.length);
      const shards = keyShards.map((shard, other) => {
        if (other !== position) return shard;
        const byte = Number.parseInt(shard.key.slice(start, start + 2), 16) ^ flip;
        const key = shard.key.slice(0, start) + byte.toString(16).padStart(2, "0") + shard.key.slice(start + 2);
        return { ...shard, key };
      });
      expect(await kavachRecoverKey(shards, { threshold })).toEqual({ masterKey: hex, faultyShards: [position] });
    }),
    runs,
  );
});

it("keys, indices and values spread over the whole field", async () => {
  const schemes: ShardScheme[] = ["bls12-381", "gf256"];
  for (const scheme of schemes) {
    const made = await Promise.all(Array.from({ length: 400 }, () => kavachGenerate({ scheme })));
    expect(new Set(made.map(({ masterKey }) => masterKey)).size).toBe(400);
    const values = made.flatMap(({ keyShards }) => keyShards.map(({ key }) => BigInt(`0x${key}`)));
    const range = scheme === "gf256" ? 1n << 256n : ORDER;
    const quarters = [0, 0, 0, 0];
    for (const value of values) {
      const quarter = Number((4n * value) / range);
      quarters[quarter] = (quarters[quarter] ?? 0) + 1;
    }
    // 2,000 values: 500 are expected in each quarter with a standard deviation of 19, and 8 of those never occur by chance.
    for (const count of quarters) expect(Math.abs(count - 500)).toBeLessThan(155);
  }
});
