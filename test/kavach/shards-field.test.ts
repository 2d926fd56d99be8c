import { Field } from "@noble/curves/abstract/modular.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { evaluateAt, interpolate, randomElement } from "../../src/keys/shards/schemes.ts";

const ORDER = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001n;
const oracle = Field(ORDER);
const element = fc.bigInt({ min: 0n, max: ORDER - 1n });

test("a polynomial's value equals that in the field of @noble/curves", () => {
  fc.assert(
    fc.property(fc.array(element, { maxLength: 6 }), element, (coefficients, x) => {
      const powers = coefficients.map((coefficient, i) => oracle.mul(coefficient, oracle.pow(x, BigInt(i))));
      expect(evaluateAt(coefficients, x, ORDER)).toBe(powers.reduce((sum, term) => oracle.add(sum, term), 0n));
    }),
    { numRuns: 1_000 },
  );
});

test("interpolation yields every value of the polynomial of the points, for any prime", () => {
  const primes = fc.constantFrom(ORDER, 2n ** 127n - 1n, 65_537n, 257n);
  const places = fc.uniqueArray(fc.bigInt({ min: 1n, max: 256n }), { minLength: 5, maxLength: 5 });
  fc.assert(
    fc.property(primes, fc.array(element, { minLength: 1, maxLength: 5 }), places, element, (prime, raw, at, place) => {
      const coefficients = raw.map((value) => value % prime);
      const points = at.map((x) => ({ x, y: evaluateAt(coefficients, x, prime) }));
      expect(interpolate(points, place % prime, prime)).toBe(evaluateAt(coefficients, place % prime, prime));
    }),
    { numRuns: 1_000 },
  );
});

test("interpolation divides as the field of @noble/curves does", () => {
  fc.assert(
    fc.property(element, element, element, element, (x1, y1, x2, y2) => {
      fc.pre(x1 !== x2);
      const above = oracle.sub(oracle.mul(y1, x2), oracle.mul(y2, x1));
      const expected = oracle.div(above, oracle.sub(x2, x1));
      expect(
        interpolate(
          [
            { x: x1, y: y1 },
            { x: x2, y: y2 },
          ],
          0n,
          ORDER,
        ),
      ).toBe(expected);
    }),
    { numRuns: 1_000 },
  );
});

test("random elements are all of the field but 0, each as often as the others", () => {
  const counts = new Map<bigint, number>();
  for (let i = 0; i < 10_000; i++) {
    const drawn = randomElement(11n);
    counts.set(drawn, (counts.get(drawn) ?? 0) + 1);
  }
  expect([...counts.keys()].sort((a, b) => Number(a - b))).toEqual([1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n, 9n, 10n]);
  // Ten standard deviations: one run in 10^22 is further off.
  for (const count of counts.values()) expect(Math.abs(count - 1_000)).toBeLessThan(300);
});
