import type { ChunkIndex } from "./chunk-index.ts";
import { encodeChunk } from "./codec.ts";
import { keepDirectory } from "./directories.ts";
import type { ResolvedWrite } from "./options.ts";
import { PackWriter } from "./pack-writer.ts";
import { withPatience } from "./patience.ts";
import { store, toStoredName } from "./remote.ts";
import type { Repository } from "./repository.ts";

/** A pack is sent once it has this many bytes. */
const PACK_BYTES = 32 * 1024 * 1024;

/** Packs that are being sent: the next chunks wait for one of them. */
const SENT_AT_ONCE = 2;

export interface ChunkWriter {
  /** Stores a chunk unless it is stored. Returns its id, once it is in a pack, which need not be sent yet. */
  add(chunk: Uint8Array): Promise<string>;
  /** Sends what is left; resolves once everything is stored. */
  flush(): Promise<void>;
  /** Bytes of packs that were sent. */
  sent(): number;
  /** When each pack was sent, by content id, in milliseconds since 1970. */
  sentAt: ReadonlyMap<string, number>;
  /** Removes what was not sent. */
  close(): Promise<void>;
}

/**
 * Creates what stores chunks, each once, in packs.
 *
 * @param index - of what is stored: packs are added once the network has them
 */
export function createChunkWriter({ id: repository, keys }: Repository, index: ChunkIndex, options: ResolvedWrite) {
  /** Chunks that are in packs which are not stored yet. */
  const adding = new Map<string, Promise<void>>();
  const sending = new Set<Promise<void>>();
  const open = new Set<PackWriter>();
  let current: Promise<PackWriter> | undefined;
  const sentAt = new Map<string, number>();
  let failure: unknown;
  let sent = 0;

  async function send(pack: PackWriter): Promise<void> {
    await pack.finish();
    const name = toStoredName(repository, "pack");
    const cid = await withPatience(() => store(pack.path, name, options, options.storage), options);
    sentAt.set(cid, Date.now());
    await keepDirectory(options.state, cid, pack.directory);
    index.add(cid, pack.directory);
    for (const { id } of pack.directory.chunks) adding.delete(id);
    sent += pack.size;
    await pack.remove();
    open.delete(pack);
  }

  async function startSending(pack: PackWriter): Promise<void> {
    const work = send(pack)
      .catch((error: unknown) => {
        failure ??= error;
      })
      .finally(() => sending.delete(work));
    sending.add(work);
    while (sending.size >= SENT_AT_ONCE) await Promise.race(sending);
    if (failure !== undefined) throw failure;
  }

  async function createPack(): Promise<PackWriter> {
    const pack = await PackWriter.create(options.state, keys);
    open.add(pack);
    return pack;
  }

  async function put(id: string, chunk: Uint8Array): Promise<void> {
    const encoded = await encodeChunk(chunk);
    if (failure !== undefined) throw failure;
    current ??= createPack();
    const own = current;
    const pack = await own;
    const written = pack.add(id, chunk.length, encoded);
    // Several may be added to the same pack at once: one of them sends it.
    const isFull = pack.size >= PACK_BYTES && current === own;
    if (isFull) current = undefined;
    await written;
    if (isFull) await startSending(pack);
  }

  const writer: ChunkWriter = {
    async add(chunk) {
      const id = keys.toId(chunk);
      if (index.has(id)) return id;
      let work = adding.get(id);
      if (!work) {
        work = put(id, chunk);
        adding.set(id, work);
      }
      await work;
      return id;
    },
    async flush() {
      const pack = await current;
      current = undefined;
      if (pack) await startSending(pack);
      await Promise.all(sending);
      if (failure !== undefined) throw failure;
    },
    sent: () => sent,
    sentAt,
    async close() {
      await Promise.allSettled(sending);
      for (const pack of open) await pack.remove();
    },
  };
  return writer;
}
