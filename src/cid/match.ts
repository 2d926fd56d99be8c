import { cidText, encodeCid, type ReadCid, sameBytes } from "./content-id.ts";
import { type FileHasher, hashFile } from "./file.ts";

/** A file on its way through, to be held against a content id. */
export interface FileMatch {
  /** Takes the next bytes; they may be reused once this is done. */
  update(piece: Uint8Array): Promise<void>;
  /** Whether it was that file, and the content id that the bytes really have, written like the other. */
  finish(): Promise<{ matches: boolean; got: string }>;
}

/**
 * Holds a file against a content id. It has the id if Kubo's defaults give it, those of version 0 or those of
 * version 1; version 0's ids count in version 1's spelling too, as gateways write them. A file that was cut in
 * another way (leaves of 1 MiB, say) does not match, though it may be the right one.
 */
export function matchFile(cid: ReadCid): FileMatch {
  const hashers: FileHasher[] =
    cid.version === 1 && cid.codec === "dag-pb" ? [hashFile(1), hashFile(0)] : [hashFile(cid.version)];
  return {
    async update(piece) {
      for (const hasher of hashers) await hasher.update(piece);
    },
    async finish() {
      const ids: Uint8Array[] = [];
      for (const hasher of hashers) ids.push(encodeAs((await hasher.finish()).cid, cid));
      const [first = cid.bytes] = ids;
      return { matches: ids.some((id) => sameBytes(id, cid.bytes)), got: cidText(first, cid.base) };
    },
  };
}

/** A version 0 id as version 1, where that is what it is compared with. */
function encodeAs(id: Uint8Array, { version }: ReadCid): Uint8Array {
  return version === 1 && id[0] !== 1 ? encodeCid(1, "dag-pb", id.subarray(-32)) : id;
}
