/**
 * Changes some of the options that a journal has kept. A change that is `undefined` leaves what was kept, and so does an
 * endpoint that is not named: no part of an operation moves to another network unasked.
 */
export function mergeKept(kept: { endpoints?: unknown }, changed: { endpoints?: unknown }): object {
  const changes = Object.fromEntries(Object.entries(changed).filter(([, value]) => value !== undefined));
  const [before, after] = [kept.endpoints, changed.endpoints];
  return {
    ...kept,
    ...changes,
    ...(isObject(before) && isObject(after) ? { endpoints: { ...before, ...after } } : {}),
  };
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
