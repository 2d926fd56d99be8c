import { type BlockHasher, HASH_BLOCK_BYTES, type PartFrame } from "../../platform/types.ts";
import { LARGE_CHUNKS, SMALL_CHUNKS } from "./chunk-profile.ts";
import { type CidVersion, encodeCid } from "./content-id.ts";
import { createTree, encodeLeafFrame } from "./unixfs.ts";

/** Blocks that are filled or hashed concurrently. */
const MAX_BLOCKS = 8;

const NO_BYTES = new Uint8Array(0);

/** Computes the content ids of consecutive files in every profile of upload nodes (IPIP-0499), in constant memory. */
export function createProfileHasher(version: CidVersion, hasher: BlockHasher) {
  const free: Uint8Array[] = [];
  let created = 0;
  /** Work on submitted blocks, in order: each promise resolves after those before it. */
  const pending: Promise<void>[] = [];

  async function takeBlock(): Promise<Uint8Array> {
    const spare = free.pop();
    if (spare) return spare;
    if (created < MAX_BLOCKS) {
      created++;
      return hasher.memory();
    }
    await pending[0];
    return takeBlock();
  }

  return {
    /** Starts the next file, once the previous one is finished or abandoned. */
    startFile() {
      const small = createTree(version, SMALL_CHUNKS.links);
      const large = createTree(1, LARGE_CHUNKS.links);
      let block: Uint8Array | undefined;
      let filled = 0;

      async function add(full: Uint8Array, size: number, previous: Promise<void> | undefined): Promise<void> {
        const parts = toParts(version, size);
        const digested = hasher.digest(full, size, parts);
        await previous;
        const [wholeDigest = NO_BYTES, ...digests] = await digested;
        free.push(full);
        await large.add({ cid: encodeCid(1, "raw", wholeDigest), treeBytes: size, fileBytes: size });
        for (const [at, { size: fileBytes, head, foot }] of parts.entries()) {
          const cid = encodeCid(version, version === 1 ? "raw" : "dag-pb", digests[at] ?? NO_BYTES);
          await small.add({ cid, treeBytes: head.length + fileBytes + foot.length, fileBytes });
        }
      }

      function submitBlock(): void {
        if (!block) return;
        const work = add(block, filled, pending.at(-1));
        pending.push(work);
        // A failed promise stays in the list, so that every later caller that awaits it fails.
        work.then(
          () => pending.shift(),
          () => undefined,
        );
        block = undefined;
        filled = 0;
      }

      return {
        /** Adds the next bytes, which may be reused once the promise resolves. */
        async update(chunk: Uint8Array): Promise<void> {
          for (let at = 0; at < chunk.length; ) {
            block ??= await takeBlock();
            const step = Math.min(chunk.length - at, HASH_BLOCK_BYTES - filled);
            block.set(chunk.subarray(at, at + step), filled);
            filled += step;
            at += step;
            if (filled === HASH_BLOCK_BYTES) submitBlock();
          }
        },
        /** Returns the file's content ids, in bytes: the most likely one first. */
        async finish(): Promise<Uint8Array[]> {
          submitBlock();
          await pending.at(-1);
          return [(await small.finish()).cid, (await large.finish()).cid];
        },
      };
    },
  };
}

/** Splits a block into small leaves, with the UnixFS frame around each in version 0. */
function toParts(version: CidVersion, blockSize: number): PartFrame[] {
  const parts: PartFrame[] = [];
  for (let at = 0; at < blockSize; at += SMALL_CHUNKS.leafBytes) {
    const size = Math.min(SMALL_CHUNKS.leafBytes, blockSize - at);
    const frame = version === 1 ? { head: NO_BYTES, foot: NO_BYTES } : encodeLeafFrame(size);
    parts.push({ size, ...frame });
  }
  return parts;
}
