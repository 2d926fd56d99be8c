import { preparesBody } from "#platform";
import { DEFAULT_CID_VERSION } from "../../base/config/limits.ts";
import { earlyResponse } from "../../base/errors/transport.ts";
import { cidMismatch } from "../../base/errors/verification.ts";
import { equalBytes } from "../../base/streams/bytes.ts";
import { type CidVersion, formatCid, readCid } from "../../formats/cid/content-id.ts";
import { hashFile } from "../../formats/cid/file.ts";
import { planFolders } from "../../formats/cid/folder.ts";
import type { Link } from "../../formats/cid/unixfs.ts";
import type { SourceFile } from "../../platform/types.ts";
import type { UploadedFile, UploadedFiles } from "./upload-response.ts";

/** An upload whose content ids are computed while it is sent. */
export type VerifiedUpload = Awaited<ReturnType<typeof createVerifiedUpload>>;

/**
 * Computes the content ids of files and of their folders while the files are read to be sent. Blobs, which a page sends
 * without reading them, are read here, before anything is sent.
 *
 * @throws `UNSUPPORTED` for a folder too large to be verified; `INVALID_SOURCE`; what reading the files throws
 */
export async function createVerifiedUpload(
  files: readonly SourceFile[],
  options: {
    cidVersion?: CidVersion | undefined;
    wrapWithDirectory?: boolean | undefined;
    signal?: AbortSignal | undefined;
    /** Awaited once all files are read, before the last of them ends: their roots, by their names. Default none. */
    onHashed?: ((links: ReadonlyMap<string, Link>) => Promise<void>) | undefined;
  },
) {
  const { cidVersion = DEFAULT_CID_VERSION, wrapWithDirectory = false, onHashed } = options;
  const signal = options.signal ?? new AbortController().signal;
  const paths = files.map(({ name }) => name);
  const planFor = (names: Iterable<string>) => planFolders([...names], cidVersion, wrapWithDirectory);
  const hashFolders = planFor(paths);
  const hashed = new Map<string, Link>();

  const hashChunks = (file: SourceFile, stop: AbortSignal) =>
    hashWhileRead(file.open(stop), cidVersion, async (link) => {
      hashed.set(file.name, link);
      // They are read in their order, and all of them again if the request is repeated.
      if (file === files.at(-1)) await onHashed?.(hashed);
    });
  if (preparesBody) {
    for (const file of files) if (file.blob) for await (const _ of hashChunks(file, signal));
  }

  return {
    /** What to send. */
    files: files.map((file): SourceFile => ({ ...file, open: (stop) => hashChunks(file, stop) })),
    /**
     * Compares the upload node's response with what was sent: every item that names a file or folder of it must
     * have the right content id, and every file must be in what such an item names. Throws `CID_MISMATCH`.
     *
     * @param toName - the name that a node stores a file under. Default: its own
     * @returns the items that were compared: nothing proves the others
     */
    async verify(stored: readonly UploadedFile[], toName?: (name: string) => string): Promise<UploadedFiles> {
      if (hashed.size < files.length) throw earlyResponse();
      if (!toName) return checkStoredCids(stored, hashed, await hashFolders(hashed));
      const named = new Map([...hashed].map(([name, link]) => [toName(name), link]));
      return checkStoredCids(stored, named, await planFor(named.keys())(named));
    },
    /** Returns the content id of a file that was read to its end, by its name. */
    getCid(name: string): string | undefined {
      const link = hashed.get(name);
      return link && formatCid(link.cid);
    },
  };
}

/** Passes chunks through and reports the root of the file that they make up at their end. */
async function* hashWhileRead(
  chunks: AsyncIterable<Uint8Array>,
  cidVersion: CidVersion,
  onHashed: (link: Link) => Promise<void>,
): AsyncGenerator<Uint8Array> {
  const hasher = hashFile(cidVersion);
  for await (const chunk of chunks) {
    await hasher.update(chunk);
    yield chunk;
  }
  await onHashed(await hasher.finish());
}

type Links = ReadonlyMap<string, Link>;

/**
 * Returns the items that name a file or a folder of what was sent. Throws `CID_MISMATCH` unless they have the right content ids
 * and cover every file.
 */
function checkStoredCids(stored: readonly UploadedFile[], files: Links, folders: Links): UploadedFiles {
  const expected = new Map([...files, ...folders].map(([path, { cid }]) => [path, cid]));
  const known = withPaths(stored, [...expected.keys()]).filter(({ path }) => expected.has(path));
  for (const { path, item } of known) {
    const cid = expected.get(path);
    const stored = readCid(item.Hash);
    if (cid && !(stored && equalBytes(stored.bytes, cid))) throw mismatch(cid, item.Hash, path);
  }
  const verified = new Set(known.map(({ path }) => path));
  for (const [path, { cid }] of files) {
    if (listPathAndParents(path).some((ancestor) => verified.has(ancestor))) continue;
    throw mismatch(cid, stored.map(({ Hash }) => Hash).join(", "), path);
  }
  // At least one, as something was sent.
  return known.map(({ item }) => item) as UploadedFiles;
}

/** Finds what each item is of, by its name. If one thing was sent and there is one item, they are the same under any name. */
function withPaths(stored: readonly UploadedFile[], paths: readonly string[]): { path: string; item: UploadedFile }[] {
  const only = stored.length === 1 && paths.length === 1 ? paths[0] : undefined;
  return stored.map((item) => ({ path: only ?? item.Name, item }));
}

/** A file's own path, then the folders that contain it, up to the one that may wrap everything. */
function listPathAndParents(path: string): string[] {
  const names = path.split("/");
  return Array.from({ length: names.length + 1 }, (_, above) => names.slice(0, names.length - above).join("/"));
}

function mismatch(expected: Uint8Array, got: string, name: string): Error {
  return cidMismatch({ expected: formatCid(expected), got, name });
}
