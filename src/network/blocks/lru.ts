/** Keeps byte strings by key, the most recently used ones, up to a total size. */
export interface ByteCache {
  get(key: string): Uint8Array | undefined;
  set(key: string, bytes: Uint8Array): void;
}

export function createByteCache(maxBytes: number): ByteCache {
  // A Map keeps the order of insertion.
  const entries = new Map<string, Uint8Array>();
  let total = 0;

  function remove(key: string): void {
    total -= entries.get(key)?.length ?? 0;
    entries.delete(key);
  }

  return {
    get(key) {
      const bytes = entries.get(key);
      if (!bytes) return undefined;
      entries.delete(key);
      entries.set(key, bytes);
      return bytes;
    },
    set(key, bytes) {
      remove(key);
      entries.set(key, bytes);
      total += bytes.length;
      for (const oldest of entries.keys()) {
        if (total <= maxBytes) break;
        remove(oldest);
      }
    },
  };
}
