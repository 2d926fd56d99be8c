import type { OpenFile } from "keeplight";
import type { ChunkIndex, ChunkPlace } from "./chunk-index.ts";
import { decodeChunk } from "./codec.ts";
import { invalidBackup } from "./invalid-backup.ts";
import { decrypt } from "./keys.ts";
import { openPackHeader, PACK_HEADER_BYTES } from "./pack-format.ts";
import { openStored } from "./remote.ts";
import type { Repository } from "./repository.ts";

/** Bytes of a pack that are read at once: neighbours are mostly needed together. */
const WINDOW_BYTES = 2 * 1024 * 1024;
const MAX_WINDOWS = 16;
/** Each keeps some 10 MiB of what was read. */
const MAX_PACKS = 16;

export type ChunkReader = ReturnType<typeof createChunkReader>;

/**
 * Creates what reads chunks. Every one is verified by the blocks of its pack, decrypted, and compared with its id.
 *
 * @param call - options of requests
 */
export function createChunkReader({ keys }: Repository, index: ChunkIndex, call: object) {
  const packs = createCache<{ file: OpenFile; key: Uint8Array }>(MAX_PACKS);
  const windows = createCache<Uint8Array>(MAX_WINDOWS);

  const openPack = (cid: string) =>
    packs(cid, async () => {
      const file = await openStored(cid, call);
      const key = openPackHeader(await file.read(0, PACK_HEADER_BYTES), keys);
      if (!key) throw invalidBackup(cid, "it is no pack of this repository");
      return { file, key };
    });

  /** Reads bytes of a pack by windows, each of which starts at a multiple of their size. */
  async function readSealed(file: OpenFile, { pack, at, sealed }: ChunkPlace): Promise<Uint8Array> {
    const bytes = new Uint8Array(sealed);
    for (let from = at; from < at + sealed; ) {
      const start = from - (from % WINDOW_BYTES);
      const window = await windows(`${pack} ${start}`, () =>
        file.read(start, Math.min(start + WINDOW_BYTES, file.size)),
      );
      const part = window.subarray(from - start, at + sealed - start);
      if (part.length === 0) break;
      bytes.set(part, from - at);
      from += part.length;
    }
    return bytes;
  }

  return {
    /** Size of a chunk, in bytes; throws `INVALID_SNAPSHOT` if there is none. */
    sizeOf: (id: string, snapshot: string): number => findPlace(id, snapshot).size,

    /** Reads a chunk; throws `INVALID_SNAPSHOT` if there is none, or another one, and what `openFile` throws. */
    async read(id: string, snapshot: string): Promise<Uint8Array> {
      const place = findPlace(id, snapshot);
      const { file, key } = await openPack(place.pack);
      const encoded = decrypt(key, place.number, await readSealed(file, place));
      const chunk = encoded && (await decodeChunk(encoded, place.size));
      if (!chunk || keys.toId(chunk) !== id) throw invalidBackup(place.pack, "a chunk is damaged");
      return chunk;
    },
  };

  function findPlace(id: string, snapshot: string): ChunkPlace {
    const place = index.find(id);
    if (!place) throw invalidBackup(snapshot, "a chunk is missing");
    return place;
  }
}

/** Creates a cache of what was used last; what fails is not kept. */
function createCache<Value>(max: number) {
  const kept = new Map<string, Promise<Value>>();
  return (name: string, create: () => Promise<Value>): Promise<Value> => {
    const value = kept.get(name) ?? create();
    kept.delete(name);
    kept.set(name, value);
    value.catch(() => kept.delete(name));
    if (kept.size > max) {
      const [oldest = ""] = kept.keys();
      kept.delete(oldest);
    }
    return value;
  };
}
