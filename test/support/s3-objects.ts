import { createCipheriv, createHash } from "node:crypto";

/** An object of a bucket, without its bytes: those follow from its key and version. */
export interface S3Object {
  key: string;
  size: number;
  /** When it was written, in milliseconds since 1970. */
  mtime: number;
  /** Counts how often it was written. */
  version: number;
}

const FIRST_MTIME = Date.UTC(2026, 0, 1);

/** Bytes of an object that the bucket was started with, unless its key says another number: `…-1000b.bin`. */
const SIZE = 20;

/** The objects of a bucket, in the order of their keys in UTF-8. Only those that were written later are kept as a whole. */
export function createObjects(firstKeys: Iterable<string>) {
  const keys = Array.from(firstKeys, (key) => Buffer.from(key)).sort(Buffer.compare);
  const written = new Map<string, S3Object>();

  /** Returns the place of the first key that is not before another one. */
  function findPlace(key: Buffer): number {
    let [low, high] = [0, keys.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (Buffer.compare(keys[middle] as Buffer, key) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  const isAt = (place: number, key: Buffer) => keys[place]?.equals(key) === true;

  function describe(key: string): S3Object {
    const size = Number(/-(\d+)b\.\w+$/.exec(key)?.[1] ?? (key.endsWith("/") ? 0 : SIZE));
    return written.get(key) ?? { key, size, mtime: FIRST_MTIME, version: 0 };
  }

  return {
    find(name: string): S3Object | undefined {
      const key = Buffer.from(name);
      return isAt(findPlace(key), key) ? describe(name) : undefined;
    },
    /** Writes an object, or another version of one. */
    write(key: string, { size = describe(key).size, mtime = FIRST_MTIME + 60_000 } = {}): void {
      const version = describe(key).version + 1;
      const encoded = Buffer.from(key);
      const place = findPlace(encoded);
      if (!isAt(place, encoded)) keys.splice(place, 0, encoded);
      written.set(key, { key, size, mtime, version });
    },
    remove(key: string): void {
      const encoded = Buffer.from(key);
      const place = findPlace(encoded);
      if (isAt(place, encoded)) keys.splice(place, 1);
      written.delete(key);
    },
    /** Yields the objects with a prefix that are behind a key. */
    *list(prefix: string, after: string): Generator<S3Object> {
      const start = Buffer.from(after);
      const isBehind = Buffer.compare(start, Buffer.from(prefix)) >= 0;
      let place = findPlace(isBehind ? start : Buffer.from(prefix));
      if (isBehind && isAt(place, start)) place++;
      for (; place < keys.length; place++) {
        const key = String(keys[place]);
        if (!key.startsWith(prefix)) return;
        yield describe(key);
      }
    },
  };
}

export function getEtag({ key, version }: S3Object): string {
  return `"${createHash("md5").update(`${version} ${key}`).digest("hex")}"`;
}

const BLOCK_BYTES = 16;

/** Returns bytes of an object, from a position on: no two objects or versions have the same. */
export function readObject({ key, size, version }: S3Object, from = 0, to = size): Buffer {
  const secret = createHash("sha256").update(`${version} ${key}`).digest();
  const counter = Buffer.alloc(BLOCK_BYTES);
  counter.writeBigUInt64BE(BigInt(Math.floor(from / BLOCK_BYTES)), 8);
  const before = from % BLOCK_BYTES;
  return createCipheriv("aes-256-ctr", secret, counter)
    .update(Buffer.alloc(before + to - from))
    .subarray(before);
}
