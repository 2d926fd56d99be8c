import { blockHasher } from "#platform";
import { formatChunkProfile, LARGE_CHUNKS, SMALL_CHUNKS } from "../../formats/cid/chunk-profile.ts";
import { type CidVersion, formatCid, readCid, toBlockId } from "../../formats/cid/content-id.ts";
import { createProfileHasher } from "../../formats/cid/profiles.ts";
import type { SourceFile } from "../../platform/types.ts";
import type { AttemptCids, FileState } from "./upload-entry.ts";

/** The content ids that an upload node may return for a file: which one depends on how the node splits files. */
export interface ExpectedCids extends AttemptCids {
  /** Whether a content id is one of them. */
  has(cid: string): boolean;
  /** By their blocks; see {@link toBlockId}. */
  blocks: readonly string[];
}

/**
 * Computes the content ids of files while they are read to be sent, each once and in order.
 *
 * @param onHashed - awaited when all of them are known, before the last file ends
 * @returns what to send, and `expected`: the content ids of the file at an index, once all of it was read. It has to be
 * closed
 */
export function createHashedUpload(
  files: readonly SourceFile[],
  version: CidVersion,
  onHashed: (expected: readonly ExpectedCids[]) => Promise<void>,
) {
  const blocks = blockHasher();
  const hasher = createProfileHasher(version, blocks);
  const expected: ExpectedCids[] = [];
  return {
    files: files.map((file, index) => ({
      ...file,
      async *open(signal: AbortSignal) {
        const hashing = hasher.startFile();
        let size = 0;
        for await (const chunk of file.open(signal)) {
          await hashing.update(chunk);
          size += chunk.length;
          yield chunk;
        }
        expected[index] = toExpected(await hashing.finish(), size);
        if (index === files.length - 1) await onHashed(expected);
      },
    })),
    expected: (index: number): ExpectedCids | undefined => expected[index],
    close: blocks.close,
  };
}

function toExpected(cids: readonly Uint8Array[], size: number): ExpectedCids {
  const blocks = cids.map(toBlockId);
  const has = (cid: string) => blocks.includes(readBlockId(cid) ?? "");
  return { has, blocks, cids: cids.map((cid) => formatCid(cid)), size };
}

/** Returns how a file was split, if the content id is one of those that were computed for it, in their order. */
export function findChunkProfile(cids: readonly string[], cid: string): string | undefined {
  const block = readBlockId(cid);
  const version = cids[0]?.startsWith("Q") ? 0 : 1;
  const profiles = [{ version, ...SMALL_CHUNKS } as const, { version: 1, ...LARGE_CHUNKS } as const];
  const profile = profiles.find((_, at) => block !== undefined && readBlockId(cids[at] ?? "") === block);
  return profile && formatChunkProfile(profile);
}

/** Restores the expected content ids of a file that was sent earlier. */
export function restoreExpected({ cids, size }: AttemptCids): ExpectedCids {
  return toExpected(
    cids.flatMap((cid) => readCid(cid)?.bytes ?? []),
    size,
  );
}

/** Returns the content ids of the attempt that a file is stored by, or else of the latest. */
export function restoreAttempt({ attempts }: Pick<FileState, "attempts">, cid: string | undefined) {
  const restored = attempts.map(restoreExpected);
  return restored.find(({ has }) => cid !== undefined && has(cid)) ?? restored[0];
}

/** Returns the block id of a content id, if it is of a kind that can be computed. */
export function readBlockId(cid: string): string | undefined {
  const parsed = readCid(cid);
  return parsed && toBlockId(parsed.bytes);
}
