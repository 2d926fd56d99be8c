import { preparesBody } from "#platform";
import { cidText, readCid, sameBytes } from "../cid/content-id.ts";
import type { Link } from "../cid/dag-pb.ts";
import { hashFile } from "../cid/file.ts";
import { planFolders } from "../cid/folder.ts";
import { matchFile } from "../cid/match.ts";
import { DEFAULT_CID_VERSION } from "../config/limits.ts";
import { earlyResponse } from "../errors/transport.ts";
import { cidMismatch, cidNotVerifiable } from "../errors/verification.ts";
import type { SourceFile } from "../platform/types.ts";
import type { CidVersion } from "./upload/send.ts";
import type { UploadedFile } from "./upload/upload-response.ts";

type Chunks = AsyncIterable<Uint8Array>;

/**
 * Lets the bytes of a file through and fails at their end unless they are what `cid` stands for.
 *
 * @throws `UNSUPPORTED` at once for an id that cannot be verified; `CID_MISMATCH` at the end of the bytes
 */
export function verifyChunks(cid: string): (pieces: Chunks) => Chunks {
  const expected = readCid(cid);
  if (!expected) throw cidNotVerifiable(cid);
  return async function* (pieces) {
    const match = matchFile(expected);
    for await (const piece of pieces) {
      await match.update(piece);
      yield piece;
    }
    const { matches, got } = await match.finish();
    if (!matches) throw cidMismatch({ expected: cid, got });
  };
}

/** An upload whose content ids are computed while it is sent. */
export interface VerifiedUpload {
  /** What to send. */
  files: SourceFile[];
  /**
   * Holds the upload node's answer against what was sent: every item that names a file or folder of it must
   * have the right content id, and every file must be in what such an item names. Throws `CID_MISMATCH`.
   */
  verify(stored: readonly UploadedFile[]): Promise<void>;
}

/**
 * Has the content ids of files and of their folders computed while the files are read. Those that are not read
 * to be sent (a page sends Blobs by itself) are read here, before anything is sent.
 *
 * @throws `UNSUPPORTED` for a folder too large to be verified; `INVALID_SOURCE`; what reading the files throws
 */
export async function verifiedUpload(
  files: readonly SourceFile[],
  options: {
    cidVersion?: CidVersion | undefined;
    wrapWithDirectory?: boolean | undefined;
    signal?: AbortSignal | undefined;
  },
): Promise<VerifiedUpload> {
  const {
    cidVersion = DEFAULT_CID_VERSION,
    wrapWithDirectory = false,
    signal = new AbortController().signal,
  } = options;
  const hashFolders = planFolders(
    files.map(({ name }) => name),
    cidVersion,
    wrapWithDirectory,
  );
  const hashed = new Map<string, Link>();

  const watched = files.map((file) => ({
    ...file,
    async *open(stop: AbortSignal) {
      const hasher = hashFile(cidVersion);
      for await (const piece of file.open(stop)) {
        await hasher.update(piece);
        yield piece;
      }
      hashed.set(file.name, await hasher.finish());
    },
  }));
  if (preparesBody) {
    for (const file of watched) if (file.blob) for await (const _ of file.open(signal));
  }

  return {
    files: watched,
    async verify(stored) {
      if (hashed.size < files.length) {
        throw earlyResponse();
      }
      const ids = new Map([...hashed, ...(await hashFolders(hashed))].map(([path, { cid }]) => [path, cid]));
      const named = withLocalCids(stored, ids);
      for (const { Name, Hash } of named) {
        const expected = ids.get(Name);
        if (expected && !isCid(Hash, expected)) throw mismatch(expected, Hash, Name);
      }
      const vouched = new Set(named.map(({ Name }) => Name).filter((name) => ids.has(name)));
      for (const [path, { cid }] of hashed) {
        if (!parentPaths(path).some((at) => vouched.has(at))) {
          throw mismatch(cid, stored.map(({ Hash }) => Hash).join(", "), path);
        }
      }
    },
  };
}

/** Where one thing was sent and one came back, they are the same, whatever they are called. */
function withLocalCids(stored: readonly UploadedFile[], ids: ReadonlyMap<string, Uint8Array>): readonly UploadedFile[] {
  const [item] = stored;
  const [path] = ids.keys();
  return stored.length === 1 && item && ids.size === 1 && path !== undefined ? [{ ...item, Name: path }] : stored;
}

/** A file's own path, then the folders it is in, up to the one that may wrap everything. */
function parentPaths(path: string): string[] {
  const names = path.split("/");
  return Array.from({ length: names.length + 1 }, (_, above) => names.slice(0, names.length - above).join("/"));
}

function isCid(text: string, cid: Uint8Array): boolean {
  const read = readCid(text);
  return read !== undefined && sameBytes(read.bytes, cid);
}

function mismatch(expected: Uint8Array, got: string, name: string): Error {
  return cidMismatch({ expected: cidText(expected), got, name });
}
