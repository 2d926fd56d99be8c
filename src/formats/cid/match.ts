import { equalBytes } from "../../base/streams/bytes.ts";
import { type ChunkProfile, formatChunkProfile, KNOWN_PROFILES } from "./chunk-profile.ts";
import { encodeCid, formatCid, type ParsedCid } from "./content-id.ts";
import { hashFile } from "./file.ts";

/** Compares a file with a content id while the file is read. */
export interface FileMatcher {
  /** Adds the next bytes; they may be reused once the promise resolves. */
  update(chunk: Uint8Array): Promise<void>;
  /** Returns whether the bytes match, and the content id that each profile yields, in the base of the expected one. */
  finish(): Promise<{ matches: boolean; tried: ComputedCid[] }>;
}

/** The content id that a chunk profile yields. */
export interface ComputedCid {
  /** As in the option `chunkProfile`. */
  profile: string;
  /** Content id. */
  cid: string;
}

/**
 * Compares a file with a content id. The file matches if one of Kubo's default profiles, or `profile`, yields the id. A
 * version 0 id also counts when it is encoded as version 1, as gateways write it. A file that was split in another way
 * does not match, though it may be the right one.
 */
export function createFileMatcher(cid: ParsedCid, profile: ChunkProfile | undefined): FileMatcher {
  const profiles = new Map(
    [...KNOWN_PROFILES, ...(profile ? [profile] : [])].map((one) => [formatChunkProfile(one), one]),
  );
  const canMatch = ({ version }: ChunkProfile) => (version === 1 ? cid.version === 1 : cid.codec === "dag-pb");
  const hashers = [...profiles].flatMap(([name, one]) =>
    canMatch(one) ? [{ name, hasher: hashFile(one.version, one) }] : [],
  );
  return {
    async update(chunk) {
      await Promise.all(hashers.map(({ hasher }) => hasher.update(chunk)));
    },
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
