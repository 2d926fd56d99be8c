import { type BlockHasher, HASH_BLOCK_BYTES, type PartFrame } from "../platform/types.ts";
import { type CidVersion, encodeCid } from "./content-id.ts";
import { leafFrame } from "./dag-pb.ts";
import { createTree } from "./tree.ts";

/** Leaves of Kubo's defaults before 2025 (`unixfs-v0-2015`, and the same with raw leaves), and links per node. */
const SMALL = { leafBytes: 262_144, links: 174 };

/** Raw leaves of `unixfs-v1-2025` (IPIP-0499), each a whole block, and links per node. */
const LARGE_LINKS = 1_024;

/** Blocks that are filled or hashed at the same time. */
const BLOCKS = 4;

const NOTHING = new Uint8Array(0);

/** Computes the content ids of files that come one after another, in every profile that an upload node may use. */
export interface ProfileHasher {
  /** Starts the next file, once the last one is finished or given up. */
  file(): {
    /** Takes the next bytes, which may be reused once this is done. */
    update(chunk: Uint8Array): Promise<void>;
    /** The file's content ids, in bytes: the one expected first. */
    finish(): Promise<Uint8Array[]>;
  };
}

/** Cuts files for version 0 or 1 in both chunk profiles (IPIP-0499). Memory does not grow with the files. */
export function createProfileHasher(version: CidVersion, hasher: BlockHasher): ProfileHasher {
  const free: Uint8Array[] = [];
  let made = 0;
  /** The work on the blocks that were handed over, in order: each ends with the blocks before it. */
  const underWay: Promise<void>[] = [];

  async function memory(): Promise<Uint8Array> {
    const spare = free.pop();
    if (spare) return spare;
    if (made < BLOCKS) {
      made++;
      return hasher.memory();
    }
    await underWay[0];
    return memory();
  }

  return {
    file() {
      const small = createTree(version, SMALL.links);
      const large = createTree(1, LARGE_LINKS);
      let block: Uint8Array | undefined;
      let filled = 0;

      async function add(full: Uint8Array, size: number, before: Promise<void> | undefined): Promise<void> {
        const parts = toParts(version, size);
        const digested = hasher.digest(full, size, parts);
        await before;
        const [whole = NOTHING, ...digests] = await digested;
        free.push(full);
        await large.add({ cid: encodeCid(1, "raw", whole), treeBytes: size, fileBytes: size });
        for (const [at, { size: fileBytes, head, foot }] of parts.entries()) {
          const cid = encodeCid(version, version === 1 ? "raw" : "dag-pb", digests[at] ?? NOTHING);
          await small.add({ cid, treeBytes: head.length + fileBytes + foot.length, fileBytes });
        }
      }

      function handOver(): void {
        if (!block) return;
        const work = add(block, filled, underWay.at(-1));
        underWay.push(work);
        // After a failure it stays, and fails whoever waits for it.
        work.then(
          () => underWay.shift(),
          () => undefined,
        );
        block = undefined;
        filled = 0;
      }

      return {
        async update(chunk) {
          for (let at = 0; at < chunk.length; ) {
            block ??= await memory();
            const step = Math.min(chunk.length - at, HASH_BLOCK_BYTES - filled);
            block.set(chunk.subarray(at, at + step), filled);
            filled += step;
            at += step;
            if (filled === HASH_BLOCK_BYTES) handOver();
          }
        },
        async finish() {
          handOver();
          await underWay.at(-1);
          return [(await small.finish()).cid, (await large.finish()).cid];
        },
      };
    },
  };
}

/** The small leaves that a block is cut into, with what UnixFS puts around each in version 0. */
function toParts(version: CidVersion, blockSize: number): PartFrame[] {
  const parts: PartFrame[] = [];
  for (let at = 0; at < blockSize; at += SMALL.leafBytes) {
    const size = Math.min(SMALL.leafBytes, blockSize - at);
    const { head, foot } = version === 1 ? { head: NOTHING, foot: NOTHING } : leafFrame(size);
    parts.push({ size, head: Uint8Array.from(head), foot: Uint8Array.from(foot) });
  }
  return parts;
}
