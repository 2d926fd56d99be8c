/** A source of random numbers whose whole sequence follows from its seed. */
export interface Random {
  /** From 0 up to 1, excluded. */
  next(): number;
  /** A whole number from 0 up to `limit`, excluded. */
  below(limit: number): number;
  chance(probability: number): boolean;
  pick<T>(items: readonly T[]): T;
  /** Fills the bytes of an array, and returns it. */
  fill<T extends ArrayBufferView>(array: T): T;
}

/** Creates the generator sfc32 (PractRand), seeded by a string. */
export function createRandom(seed: string): Random {
  let [a, b, c, counter] = [0x9e3779b9, 0x243f6a88, 0xb7e15162, 1];

  function nextUint32(): number {
    const sum = (a + b + counter++) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }

  for (const character of seed) {
    a ^= character.charCodeAt(0);
    for (let round = 0; round < 12; round++) nextUint32();
  }

  const below = (limit: number) => Math.floor((nextUint32() / 2 ** 32) * limit);
  return {
    next: () => nextUint32() / 2 ** 32,
    below,
    chance: (probability) => nextUint32() / 2 ** 32 < probability,
    pick: <T>(items: readonly T[]) => items[below(items.length)] as T,
    fill(array) {
      const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
      for (let at = 0; at < bytes.length; at++) bytes[at] = nextUint32();
      return array;
    },
  };
}
