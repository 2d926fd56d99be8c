import { throwIfAborted } from "../../base/async/abort.ts";
import { type ChunkProfile, formatChunkProfile, LARGE_CHUNKS, SMALL_CHUNKS } from "../../formats/cid/chunk-profile.ts";
import { type CidVersion, formatCid, readCid, toBlockId } from "../../formats/cid/content-id.ts";
import { hashFile } from "../../formats/cid/file.ts";
import { plaintextSize } from "../../formats/crypto/file-format.ts";
import type { EncryptedFile } from "./encrypt-files.ts";
import type { AttemptCids, FileState } from "./upload-entry.ts";

/** The content ids that an upload node may return for a file: which one depends on how the node splits files. */
export interface ExpectedCids extends AttemptCids {
  /** Whether a content id is one of them. */
  has(cid: string): boolean;
  /** By their blocks; see {@link toBlockId}. */
  blocks: readonly string[];
}

/** How upload nodes split files by default, the most usual way first. */
export const listProfiles = (version: CidVersion): ChunkProfile[] => [
  { version, ...SMALL_CHUNKS },
  { version: 1, ...LARGE_CHUNKS },
];

/** The chunk profile that the latest responses of upload hosts showed. */
const profileOf = new Map<string, string>();

/**
 * Computes the content ids of files while they are read to be sent, each once and in order: by the profile of the host's
 * earlier responses; by every profile if there were none, if a file cannot be read again, or if `hashAll`.
 *
 * @param onHashed - awaited when they are known, before the last file ends, and again if more are
 * @returns what to send; `expected`: the content ids of the file at an index, once all of it was read; `complete` computes
 * by every profile those of files that none of these content ids is of, as far as they can be read again
 */
export function createHashedUpload(
  files: readonly EncryptedFile[],
  { version, host, hashAll }: { version: CidVersion; host: string; hashAll: boolean },
  onHashed: (expected: readonly (ExpectedCids | undefined)[]) => Promise<void>,
) {
  const all = listProfiles(version);
  const known = all.filter((profile) => !hashAll && formatChunkProfile(profile) === profileOf.get(host));
  const expected: ExpectedCids[] = [];

  async function* hashWhileRead(file: EncryptedFile, index: number, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const hashers = createHashers(file.repeat && known.length > 0 ? known : all);
    for await (const chunk of file.open(signal)) {
      await hashers.update(chunk);
      yield chunk;
    }
    expected[index] = await hashers.finish();
    if (index === files.length - 1) await onHashed(expected);
  }

  return {
    files: files.map((file, index) => ({ ...file, open: (signal: AbortSignal) => hashWhileRead(file, index, signal) })),
    expected: (index: number): ExpectedCids | undefined => expected[index],
    async complete(cids: readonly string[], signal: AbortSignal | undefined): Promise<void> {
      const reported = new Set(cids.map(readBlockId));
      const more: (ExpectedCids | undefined)[] = [];
      for (const [index, { repeat }] of files.entries()) {
        const before = expected[index];
        if (!before || !repeat || before.blocks.length === all.length) continue;
        if (before.blocks.some((block) => reported.has(block))) continue;
        const after = await hashAgain(repeat, all, signal);
        // Otherwise it changed since it was sent.
        if (before.cids.every((cid) => after?.has(cid))) more[index] = after;
      }
      if (more.length > 0) await onHashed(more);
      Object.assign(expected, more);
      for (const { blocks, profiles = [] } of expected.filter(Boolean)) {
        // A short file has one content id by all of them.
        const at = new Set(blocks).size < all.length ? -1 : blocks.findIndex((block) => reported.has(block));
        if (at >= 0) profileOf.set(host, profiles[at] ?? "");
      }
    },
  };
}

/** Computes the content ids of a file that was sent; `undefined` if it cannot be read any more. Throws `ABORTED`. */
async function hashAgain(
  repeat: NonNullable<EncryptedFile["repeat"]>,
  profiles: readonly ChunkProfile[],
  signal = new AbortController().signal,
): Promise<ExpectedCids | undefined> {
  const hashers = createHashers(profiles);
  try {
    for await (const chunk of repeat(signal)) await hashers.update(chunk);
  } catch {
    throwIfAborted(signal);
    return undefined;
  }
  throwIfAborted(signal);
  return hashers.finish();
}

/** Computes the content ids of a file by each profile while it is read. */
export function createHashers(profiles: readonly ChunkProfile[]) {
  const hashers = profiles.map((profile) => hashFile(profile.version, profile));
  let size = 0;
  return {
    async update(chunk: Uint8Array): Promise<void> {
      for (const hasher of hashers) await hasher.update(chunk);
      size += chunk.length;
    },
    async finish(): Promise<ExpectedCids> {
      const cids: Uint8Array[] = [];
      for (const hasher of hashers) cids.push((await hasher.finish()).cid);
      return toExpected(profiles.map(formatChunkProfile), cids, size);
    },
  };
}

function toExpected(profiles: readonly string[], cids: readonly Uint8Array[], size: number): ExpectedCids {
  const blocks = cids.map(toBlockId);
  const has = (cid: string) => blocks.includes(readBlockId(cid) ?? "");
  return { has, blocks, profiles, cids: cids.map((cid) => formatCid(cid)), size };
}

/** Restores the expected content ids of a file that was sent earlier. */
export function restoreExpected({ cids, profiles, size }: AttemptCids): ExpectedCids {
  const version = cids[0]?.startsWith("Q") ? 0 : 1;
  const names = profiles ?? listProfiles(version).map(formatChunkProfile);
  return toExpected(
    names,
    cids.flatMap((cid) => readCid(cid)?.bytes ?? []),
    size,
  );
}

/** Returns the content ids of the attempt that a file is stored by, or else of the latest. */
export function restoreAttempt({ attempts }: Pick<FileState, "attempts">, cid: string | undefined) {
  const restored = attempts.map(restoreExpected);
  return restored.find(({ has }) => cid !== undefined && has(cid)) ?? restored[0];
}

/**
 * Describes a file by what was sent of it: its size, decrypted, and how it was split, if its content id is one of those that
 * were computed. Returns `undefined` if nothing was sent.
 */
export function describeSent(file: Pick<FileState, "attempts">, cid = "") {
  const sent = restoreAttempt(file, cid);
  if (!sent) return undefined;
  const chunkProfile = sent.profiles?.[sent.blocks.indexOf(readBlockId(cid) ?? "")];
  return { size: plaintextSize(sent.size), ...(chunkProfile ? { chunkProfile } : {}) };
}

/** Returns the block id of a content id, if it is of a kind that can be computed. */
export function readBlockId(cid: string): string | undefined {
  const parsed = readCid(cid);
  return parsed && toBlockId(parsed.bytes);
}
