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

/**
 * Compares a file with a content id. The file matches if Kubo's defaults for version 0 or version 1 yield the id.
 * A version 0 id also counts when it is encoded as version 1, as gateways write it. A file that was split in
 * another way (leaves of 1 MiB, say) does not match, though it may be the right one.
 */
export function createFileMatcher(cid: ParsedCid): FileMatcher {
  const hashers: FileHasher[] =
    cid.version === 1 && cid.codec === "dag-pb" ? [hashFile(1), hashFile(0)] : [hashFile(cid.version)];
  return {
    async update(chunk) {
      for (const hasher of hashers) await hasher.update(chunk);
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
