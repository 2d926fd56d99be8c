/** The values of `:name` placeholders in a condition. */
export type Placeholders = ReadonlyMap<string, unknown>;

/**
 * Creates the placeholders of a request from the caller's data, whose names may omit the colon. `:userAddress` is always
 * the authenticated address: the caller's data cannot override it.
 */
export function createPlaceholders(address: string, dynamicData: Readonly<Record<string, unknown>>): Placeholders {
  const names = new Map(Object.entries(dynamicData).map(([name, value]) => [name.replace(/^:?/, ":"), value]));
  return names.set(":userAddress", address);
}

/**
 * Replaces each `:name` in `value`, at any depth of nested lists.
 *
 * @throws UnknownPlaceholder for a name without a value.
 */
export function substitute(value: unknown, placeholders: Placeholders): unknown {
  if (Array.isArray(value)) return value.map((item) => substitute(item, placeholders));
  if (typeof value !== "string" || !/^:\w+$/.test(value)) return value;
  if (!placeholders.has(value)) throw new UnknownPlaceholder();
  return placeholders.get(value);
}

/** A condition requires a value that the caller did not send. */
export class UnknownPlaceholder extends Error {}
