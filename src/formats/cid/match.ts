import { equalBytes } from "../../base/streams/bytes.ts";
import { type ChunkProfile, formatChunkProfile, KNOWN_PROFILES } from "./chunk-profile.ts";
import { encodeCid, formatCid, type ParsedCid } from "./content-id.ts";
import { hashFile } from "./file.ts";

/** The content id that a chunk profile yields. */
export interface ComputedCid {
  /** As in the option `chunkProfile`. */
  profile: string;
  /** Content id. */
  cid: string;
}

/**
 * Compares a file with a content id while the file is read. It matches if one of Kubo's default profiles, or `profile`,
 * yields the id. A version 0 id also counts when it is encoded as version 1, as gateways write it. A file that was
 * split in another way does not match, though it may be the right one.
 */
export function createFileMatcher(cid: ParsedCid, profile: ChunkProfile | undefined) {
  const all = profile ? [...KNOWN_PROFILES, profile] : KNOWN_PROFILES;
  const profiles = new Map(all.map((one) => [formatChunkProfile(one), one]));
  const canMatch = ({ version }: ChunkProfile) => (version === 1 ? cid.version === 1 : cid.codec === "dag-pb");
  const hashers = [...profiles].flatMap(([name, one]) =>
    canMatch(one) ? [{ name, hasher: hashFile(one.version, one) }] : [],
  );
  return {
    /** Adds the next bytes; they may be reused once the promise resolves. */
    async update(chunk: Uint8Array): Promise<void> {
      await Promise.all(hashers.map(({ hasher }) => hasher.update(chunk)));
    },
    /** Returns whether the bytes match, and the content id that each profile yields, in the base of the expected one. */
    async finish() {
      const tried: ComputedCid[] = [];
      let matches = false;
      for (const { name, hasher } of hashers) {
        const id = encodeAs((await hasher.finish()).cid, cid);
        matches ||= equalBytes(id, cid.bytes);
        tried.push({ profile: name, cid: formatCid(id, cid.base) });
      }
      return { matches, tried };
    },
  };
}

/** Encodes a version 0 id as version 1 if the id to compare it with is of version 1. */
function encodeAs(id: Uint8Array, { version }: ParsedCid): Uint8Array {
  return version === 1 && id[0] !== 1 ? encodeCid(1, "dag-pb", id.subarray(-32)) : id;
}
