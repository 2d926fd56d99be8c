import { USER_ADDRESS } from "./describe.ts";
import type { Json } from "./fields.ts";

/** What stands behind the `:name`s of a condition: `userAddress` and the dynamic data, by name without colon. */
export type Placeholders = ReadonlyMap<string, Json>;

/** The asker's address and the dynamic data, whose names may be given with or without their colon. */
export function placeholdersFor(address: string, dynamicData: Readonly<Record<string, Json>>): Placeholders {
  const given = Object.entries(dynamicData).map(([name, value]) => [name.replace(/^:/, ""), value] as const);
  return new Map([...given, [USER_ADDRESS.slice(1), address] as const]);
}

/** A value with every `:name` in it, at any depth of its lists, filled in; names that nothing is given for are left. */
export function fillIn(value: Json, placeholders: Placeholders): Json {
  if (Array.isArray(value)) return value.map((item) => fillIn(item, placeholders));
  const name = nameIn(value);
  return name === undefined ? value : (placeholders.get(name) ?? value);
}

/** The first `:name` that is still in a value; undefined if there is none. */
export function openName(value: Json): string | undefined {
  if (!Array.isArray(value)) return nameIn(value);
  for (const item of value) {
    const name = openName(item);
    if (name !== undefined) return name;
  }
  return undefined;
}

function nameIn(value: Json): string | undefined {
  return typeof value === "string" ? /^:(\w+)$/.exec(value)?.[1] : undefined;
}
