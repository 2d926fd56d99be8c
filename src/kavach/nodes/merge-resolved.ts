import { type Check, type Resolved, resolveChanges } from "../../base/operation.ts";
import { mergeResumeOptions } from "./merge-options.ts";

/**
 * Merges the options that a call is resumed with into those that it has resolved, as {@link mergeResumeOptions} does: what
 * is now `undefined` has its default again, but the owner stays.
 *
 * @throws what the checks of `schema` throw
 */
export function mergeResolved<Schema extends object>(
  schema: Schema,
  options: Resolved<Schema>,
  changed: object,
): Resolved<Schema> {
  const changes = resolveChanges(schema, changed);
  const reset = Object.entries(schema as Record<string, Check>).flatMap(([name, check]) =>
    !(name in changed) || Object.hasOwn(changes, name) || OWNER.has(name) ? [] : [[name, check(undefined, name)]],
  );
  return mergeResumeOptions({ ...options, ...Object.fromEntries(reset) } as never, changes as never);
}

const OWNER = new Set(["signer", "address", "authToken"]);
