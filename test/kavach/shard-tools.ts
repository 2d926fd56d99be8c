import type { KeyShard } from "../../src/keys/shards/schemes.ts";

export { failure } from "../support/failure.ts";

/** Order of the scalar field of BLS12-381, written independently of the sources. */
export const ORDER = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001n;

export function toHex(element: bigint): string {
  return element.toString(16).padStart(64, "0");
}

/** Returns all ways to choose `size` items. */
export function choose<T>(items: readonly T[], size: number): T[][] {
  if (size === 0) return [[]];
  return items.flatMap((item, position) => choose(items.slice(position + 1), size - 1).map((rest) => [item, ...rest]));
}

/** Replaces the item at `position`. */
export function replaceAt<T>(items: readonly T[], position: number, change: (item: T) => T): T[] {
  return items.map((item, other) => (other === position ? change(item) : item));
}

/** Changes a shard's value: every hex digit of its second half. */
export function corruptShard({ key, index }: KeyShard): KeyShard {
  const half = key.length / 2;
  const other = (digit: string) => ((Number.parseInt(digit, 16) + 1) % 16).toString(16);
  return { key: key.slice(0, half) + key.slice(half).replace(/./g, other), index };
}
