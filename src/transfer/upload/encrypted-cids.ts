import { blockHasher } from "#platform";
import { blockId, type CidVersion, cidText, readCid } from "../../cid/content-id.ts";
import { createProfileHasher } from "../../cid/profiles.ts";
import type { SourceFile } from "../../platform/types.ts";

/** The content ids that an upload node may give one file: which of them depends on how it cuts files. */
export interface ExpectedCids {
  /** As the node's defaults give it. */
  first: string;
  /** Whether a content id is one of them. */
  has(cid: string): boolean;
  /** By their blocks; see {@link blockId}. */
  blocks: readonly string[];
  /** Of the encrypted file, in bytes. */
  size: number;
}

/** Files whose content ids are computed while they are sent. */
export interface HashedUpload {
  /** What to send. */
  files: SourceFile[];
  /** Of the file at an index, once all of it was read. */
  expected(index: number): ExpectedCids | undefined;
  /** Releases what the hashing runs on. */
  close(): void;
}

/** Has the content ids of files computed while they are read to be sent, each once and in order. */
export function hashedUpload(files: readonly SourceFile[], version: CidVersion): HashedUpload {
  const blocks = blockHasher();
  const hasher = createProfileHasher(version, blocks);
  const expected: (ExpectedCids | undefined)[] = [];
  return {
    files: files.map((file, index) => ({
      ...file,
      async *open(signal: AbortSignal) {
        const hashing = hasher.file();
        let size = 0;
        for await (const chunk of file.open(signal)) {
          await hashing.update(chunk);
          size += chunk.length;
          yield chunk;
        }
        expected[index] = toExpected(await hashing.finish(), size);
      },
    })),
    expected: (index) => expected[index],
    close: blocks.close,
  };
}

function toExpected(cids: readonly Uint8Array[], size: number): ExpectedCids {
  const [first = new Uint8Array(0)] = cids;
  const blocks = cids.map(blockId);
  return { first: cidText(first), has: (cid) => blocks.includes(getBlock(cid) ?? ""), blocks, size };
}

/** The block that a content id stands for, if it is of a kind that is computed. */
export function getBlock(cid: string): string | undefined {
  const read = readCid(cid);
  return read && blockId(read.bytes);
}
