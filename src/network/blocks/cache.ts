export type Cache<Value> = ReturnType<typeof createCache<Value>>;

/** Keeps values by key, the most recently used ones, up to a total size. */
export function createCache<Value>(maxSize: number, sizeOf: (value: Value) => number) {
  // A Map keeps the order of insertion.
  const entries = new Map<string, Value>();
  let total = 0;

  function take(key: string): Value | undefined {
    const value = entries.get(key);
    if (value !== undefined) total -= sizeOf(value);
    entries.delete(key);
    return value;
  }

  function set(key: string, value: Value): void {
    take(key);
    entries.set(key, value);
    total += sizeOf(value);
    for (const oldest of entries.keys()) {
      if (total <= maxSize) break;
      take(oldest);
    }
  }

  return {
    set,
    get(key: string): Value | undefined {
      const value = take(key);
      if (value !== undefined) set(key, value);
      return value;
    },
  };
}

/** A {@link createCache} of bytes. */
export const createByteCache = (maxBytes: number) => createCache<Uint8Array>(maxBytes, ({ length }) => length);
