import { createHash } from "node:crypto";

/** Finds paths that are listed twice, in some 20 bytes for each path. */
export interface DuplicateFinder {
  /** Adds a path; returns whether it may have been added before: two of 2⁶⁴ paths may be taken for one. */
  add(path: string): boolean;
}

const FIRST_SLOTS = 1 << 12;

export function createDuplicateFinder(): DuplicateFinder {
  // A table with open addressing: a slot has 64 bits of a hash, never all zero, or is empty.
  let slots = new Uint32Array(2 * FIRST_SLOTS);
  let used = 0;

  /** Returns whether the hash is there already. */
  function insert(table: Uint32Array, high: number, low: number): boolean {
    const mask = table.length / 2 - 1;
    for (let slot = low & mask; ; slot = (slot + 1) & mask) {
      const at = 2 * slot;
      if (table[at] === 0 && table[at + 1] === 0) {
        table[at] = high;
        table[at + 1] = low;
        return false;
      }
      if (table[at] === high && table[at + 1] === low) return true;
    }
  }

  function grow(): void {
    const larger = new Uint32Array(2 * slots.length);
    for (let at = 0; at < slots.length; at += 2) {
      const [high = 0, low = 0] = slots.subarray(at, at + 2);
      if (high !== 0 || low !== 0) insert(larger, high, low);
    }
    slots = larger;
  }

  return {
    add(path) {
      const digest = createHash("sha256").update(path).digest();
      const isKnown = insert(slots, digest.readUInt32LE(0) || 1, digest.readUInt32LE(4));
      // At most half of the slots are used.
      if (!isKnown && ++used > slots.length / 4) grow();
      return isKnown;
    },
  };
}
