import { invalidOption } from "./errors/input.ts";

/** How deep data may be nested; deeper than that of any call. */
const MAX_DEPTH = 100;

/**
 * Returns a deep copy of plain objects and arrays, which are read once: what the caller changes after a call has no effect
 * on it. Everything else is the same object: bytes, streams, files, functions, and what has methods, such as a signer.
 *
 * @throws `INVALID_OPTION` for data that contains itself
 */
export function copyInput<Value>(value: Value, name = "argument"): Value {
  const copies = new Map<unknown, unknown>();

  function copy(original: unknown, depth: number): unknown {
    if (original instanceof URL) return new URL(original);
    if (!isPlain(original)) return original;
    const earlier = copies.get(original);
    if (earlier !== undefined) return earlier;
    // It is being copied: it contains itself.
    const isCircular = copies.has(original);
    if (isCircular || depth > MAX_DEPTH) throw invalidOption(name, `data of at most ${MAX_DEPTH} levels`);
    copies.set(original, undefined);
    const copied = Array.isArray(original)
      ? Array.from(original, (item) => copy(item, depth + 1))
      : copyFields(original, (field) => copy(field, depth + 1));
    copies.set(original, copied);
    return copied;
  }

  return copy(value, 0) as Value;
}

/** Returns the object itself if it has methods. */
function copyFields(original: object, copy: (field: unknown) => unknown): object {
  const fields = Object.entries(original);
  // A library may keep its own data under a symbol, but `Symbol.asyncIterator` is a method.
  const bySymbol = Object.getOwnPropertySymbols(original).map((symbol) => original[symbol as never]);
  const hasMethods = [...fields.map(([, field]) => field), ...bySymbol].some((field) => typeof field === "function");
  return hasMethods ? original : Object.fromEntries(fields.map(([name, field]) => [name, copy(field)]));
}

/** Whether this is an array, or an object that is no instance of a class; it may be one of another realm. */
function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
