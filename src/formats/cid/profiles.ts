import { type BlockHasher, HASH_BLOCK_BYTES, type HashedPart } from "../../platform/types.ts";
import type { ChunkProfile } from "./chunk-profile.ts";
import { encodeCid } from "./content-id.ts";
import { createTree, encodeLeafFrame } from "./unixfs.ts";

/** Blocks that are filled or hashed concurrently. */
const MAX_BLOCKS = 8;

const NO_BYTES = new Uint8Array(0);

/** Computes the content ids of consecutive files by chunk profiles of upload nodes (IPIP-0499), in constant memory. */
export function createProfileHasher(hasher: BlockHasher) {
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
    /**
     * Starts the next file, once the previous one is finished or abandoned.
     *
     * @param profiles - whose leaves are whole parts of a block
     */
    startFile(profiles: readonly ChunkProfile[]) {
      const trees = profiles.map((profile) => ({ profile, tree: createTree(profile.version, profile.links) }));
      let block: Uint8Array | undefined;
      let filled = 0;

      async function add(full: Uint8Array, size: number, previous: Promise<void> | undefined): Promise<void> {
        const leaves = trees.flatMap(({ profile, tree }) =>
          toParts(profile, size).map((part) => ({ part, tree, version: profile.version })),
        );
        const digested = hasher.digest(
          full,
          leaves.map(({ part }) => part),
        );
        await previous;
        const digests = await digested;
        free.push(full);
        for (const [at, { part, tree, version }] of leaves.entries()) {
          const { start, end, head, foot } = part;
          const cid = encodeCid(version, version === 1 ? "raw" : "dag-pb", digests[at] ?? NO_BYTES);
          const fileBytes = end - start;
          await tree.add({ cid, treeBytes: head.length + fileBytes + foot.length, fileBytes });
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
        /** Returns the file's content id, in bytes, by each profile. */
        async finish(): Promise<Uint8Array[]> {
          submitBlock();
          await pending.at(-1);
          const cids: Uint8Array[] = [];
          for (const { tree } of trees) cids.push((await tree.finish()).cid);
          return cids;
        },
      };
    },
  };
}

/** Splits the first `size` bytes of a block into the leaves of a profile, with the UnixFS frame around each in version 0. */
function toParts({ version, leafBytes }: ChunkProfile, size: number): HashedPart[] {
  const parts: HashedPart[] = [];
  for (let start = 0; start < size; start += leafBytes) {
    const end = Math.min(start + leafBytes, size);
    const frame = version === 1 ? { head: NO_BYTES, foot: NO_BYTES } : encodeLeafFrame(end - start);
    parts.push({ start, end, ...frame });
  }
  return parts;
}
