/** The values behind `:name`s in a condition. */
export type Placeholders = ReadonlyMap<string, unknown>;

/**
 * `:userAddress` is whoever asks, whatever the caller's own data say; the other names are the caller's, with
 * or without their colon.
 */
export function placeholdersOf(address: string, dynamicData: Readonly<Record<string, unknown>>): Placeholders {
  const names = new Map(Object.entries(dynamicData).map(([name, value]) => [name.replace(/^:?/, ":"), value]));
  return names.set(":userAddress", address);
}

/**
 * `value` with each `:name` in it, at any depth of lists, replaced.
 *
 * @throws UnknownName for a name that nothing stands behind.
 */
export function substitute(value: unknown, placeholders: Placeholders): unknown {
  if (Array.isArray(value)) return value.map((item) => substitute(item, placeholders));
  if (typeof value !== "string" || !/^:\w+$/.test(value)) return value;
  if (!placeholders.has(value)) throw new UnknownName();
  return placeholders.get(value);
}

/** A condition needs a value that the caller did not give. */
export class UnknownName extends Error {}
