import { equalBytes } from "../streams/bytes.ts";
import { encodeCid, formatCid, type ParsedCid } from "./content-id.ts";
import { type FileHasher, hashFile } from "./file.ts";

/** Compares a file with a content id while the file is read. */
export interface FileMatcher {
  /** Adds the next bytes; they may be reused once the promise resolves. */
  update(chunk: Uint8Array): Promise<void>;
  /** Returns whether the bytes match, and their actual content id, in the base of the expected one. */
  finish(): Promise<{ matches: boolean; got: string }>;
}

/** Leaves and links of `unixfs-v1-2025` (IPIP-0499). */
const LARGE = { leafBytes: 1_048_576, links: 1_024 };

/**
 * Compares a file with a content id. The file matches if Kubo's defaults for version 0, or for version 1 in either chunk
 * profile (IPIP-0499), yield the id. A version 0 id also counts when it is encoded as version 1, as gateways write it. A
 * file that was split in another way does not match, though it may be the right one.
 */
export function createFileMatcher(cid: ParsedCid): FileMatcher {
  const hashers: FileHasher[] = cid.version === 1 ? [hashFile(1), hashFile(1, LARGE)] : [];
  if (cid.codec === "dag-pb") hashers.push(hashFile(0));
  return {
    async update(chunk) {
      await Promise.all(hashers.map((hasher) => hasher.update(chunk)));
    },
    async finish() {
      const ids: Uint8Array[] = [];
      for (const hasher of hashers) ids.push(encodeAs((await hasher.finish()).cid, cid));
      const [first = cid.bytes] = ids;
      return { matches: ids.some((id) => equalBytes(id, cid.bytes)), got: formatCid(first, cid.base) };
    },
  };
}

/** Encodes a version 0 id as version 1 if the id to compare it with is of version 1. */
function encodeAs(id: Uint8Array, { version }: ParsedCid): Uint8Array {
  return version === 1 && id[0] !== 1 ? encodeCid(1, "dag-pb", id.subarray(-32)) : id;
}
