/** Under which the copies of this package in a process find each other. */
const SHARED = Symbol.for("keeplight.shared");

/**
 * Returns what all copies of this package in a process share under a name, created by the first: a program may have it as
 * ES modules and a dependency as CommonJS, and neither may pay, sign in or change a key while the other does. Releases
 * share it too: under one name, its form never changes.
 */
export function shared<Value extends object>(name: string, create: () => Value): Value {
  const root = globalThis as { [SHARED]?: Map<string, object> };
  // Not enumerable, so that what prints or copies the global object leaves it out.
  if (!root[SHARED]) Object.defineProperty(root, SHARED, { value: new Map(), configurable: true });
  const values = root[SHARED] as Map<string, object>;
  const value = values.get(name) ?? create();
  values.set(name, value);
  return value as Value;
}
