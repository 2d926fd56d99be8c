import type { Register } from "./state.ts";

// What merging consists of: the later of two values, for each id of two maps.

/** Returns `one` itself if `other` has nothing that is new to it. */
export function mergeMaps<Item>(
  one: ReadonlyMap<string, Item>,
  other: ReadonlyMap<string, Item>,
  merge: (known: Item | undefined, item: Item) => Item,
): ReadonlyMap<string, Item> {
  let changed: Map<string, Item> | undefined;
  for (const [id, item] of other) {
    const known = one.get(id);
    if (known === item) continue;
    const merged = merge(known, item);
    if (merged === known) continue;
    changed ??= new Map(one);
    changed.set(id, merged);
  }
  return changed ?? one;
}

/** Two values of one stamp are one value; if they were not, every device would still choose the same one. */
export function chooseLater<Value>(
  one: Register<Value> | undefined,
  other: Register<Value> | undefined,
): Register<Value> | undefined {
  if (!one || !other) return one ?? other;
  if (one[1] !== other[1]) return one[1] > other[1] ? one : other;
  return toComparable(one[0]) >= toComparable(other[0]) ? one : other;
}

function toComparable(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value, Object.keys(value ?? {}).sort()) : String(value);
}
