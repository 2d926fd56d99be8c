import { USER_ADDRESS } from "./describe.ts";
import type { Json } from "./fields.ts";

/** The values of the `:name`s of a condition: `userAddress` and the dynamic data, by name without colon. */
export type Placeholders = ReadonlyMap<string, Json>;

/** Collects the requester's address and the dynamic data, whose names may have their colon or not. */
export function createPlaceholders(address: string, dynamicData: Readonly<Record<string, Json>>): Placeholders {
  const dynamic = Object.entries(dynamicData).map(([name, value]) => [name.replace(/^:/, ""), value] as const);
  return new Map([...dynamic, [USER_ADDRESS.slice(1), address] as const]);
}

/** Replaces every `:name` in a value, at any depth of its lists; names without a value are kept. */
export function fillPlaceholders(value: Json, placeholders: Placeholders): Json {
  if (Array.isArray(value)) return value.map((item) => fillPlaceholders(item, placeholders));
  const name = readName(value);
  return name === undefined ? value : (placeholders.get(name) ?? value);
}

/** Finds the first `:name` that is still in a value; undefined if there is none. */
export function findUnfilledName(value: Json): string | undefined {
  if (!Array.isArray(value)) return readName(value);
  for (const item of value) {
    const name = findUnfilledName(item);
    if (name !== undefined) return name;
  }
  return undefined;
}

function readName(value: Json): string | undefined {
  return typeof value === "string" ? /^:(\w+)$/.exec(value)?.[1] : undefined;
}
