import type { FolderFile, Kit } from "keeplight";
import { AppError } from "../messages/explain-error.ts";
import { joinPath } from "../routes.ts";
import { type ArchiveEntry, SMALL_BYTES } from "./archive.ts";
import { checkSize, createSizeError, limitDownload } from "./check-size.ts";

/** Most entries of an archive that every program reads. */
const MAX_ENTRIES = 65_000;
const MAX_DEPTH = 60;
/** The count is reported once for so many entries. */
const COUNT_INTERVAL = 100;

/** Refuses more entries than an archive can have: a folder may list itself a thousand times, in a thousand places. */
function checkEntryCount(count: number): void {
  if (count > MAX_ENTRIES) throw new AppError(({ folder }) => folder.tooMany(MAX_ENTRIES));
}

/** What is to be written of a folder. */
export interface ArchiveContent {
  entries: ArchiveEntry[];
  /** Entries that cannot be read as files. */
  skipped: number;
}

/** Lists everything below a public folder. `onCount` receives how many entries are found. */
export async function listPublicFolder(
  kit: Pick<Kit, "listFolder" | "openFile">,
  { cid, path }: { cid: string; path: string },
  { signal, onCount }: { signal: AbortSignal; onCount: (count: number) => void },
): Promise<ArchiveContent> {
  const entries: ArchiveEntry[] = [];
  let skipped = 0;

  async function list(below: string, names: readonly string[]): Promise<void> {
    if (names.length > MAX_DEPTH) throw new AppError(({ folder }) => folder.tooDeep);
    let isEmpty = true;
    const folders: string[] = [];
    for await (const { name, cid: entry, type, size = 0 } of kit.listFolder(cid, { path: below, signal })) {
      isEmpty = false;
      if (type === "folder") folders.push(name);
      else if (type === "other") skipped++;
      else entries.push({ names: [...names, name], size, open: (signal) => readPublic(kit, entry, signal) });
      checkEntryCount(entries.length + folders.length);
      if (entries.length % COUNT_INTERVAL === 0) onCount(entries.length);
    }
    if (isEmpty && names.length > 0) entries.push({ names, size: 0 });
    for (const name of folders) await list(joinPath(below, name), [...names, name]);
  }

  await list(path, []);
  return { entries, skipped };
}

async function readPublic(
  kit: Pick<Kit, "openFile">,
  cid: string,
  signal: AbortSignal,
): Promise<Uint8Array | ReadableStream<Uint8Array>> {
  const opened = await kit.openFile(cid, { signal });
  return opened.size <= SMALL_BYTES ? opened.read(0, opened.size) : opened.stream();
}

/** A file of an encrypted folder. In one of the drive some may be public, and have no proofs. */
export interface ContainedFile extends Pick<FolderFile, "path" | "cid" | "size"> {
  commitment?: string | undefined;
  chunkProfile?: string | undefined;
  /** Whether it is not encrypted. */
  isPublic?: boolean;
}

/** Lists everything below a path of an encrypted folder. */
export function listEncryptedFolder(
  kit: Pick<Kit, "decrypt" | "openFile">,
  { files }: { files: readonly ContainedFile[] },
  path: string,
): ArchiveContent {
  const start = path === "" ? "" : `${path}/`;
  const below = files.filter((file) => file.path.startsWith(start));
  checkEntryCount(below.length);
  const entries = below.map(
    ({ path: full, cid, size, commitment, chunkProfile, isPublic }): ArchiveEntry => ({
      names: full.slice(start.length).split("/"),
      size,
      async open(signal) {
        if (isPublic) return readPublic(kit, cid, signal);
        const options = { commitment, chunkProfile, signal, onProgress: limitDownload(size) };
        if (size > SMALL_BYTES)
          return (await kit.decrypt(cid, { ...options, as: "stream" })).pipeThrough(checkSize(size));
        const bytes = await kit.decrypt(cid, options);
        if (bytes.byteLength !== size) throw createSizeError();
        return bytes;
      },
    }),
  );
  return { entries, skipped: 0 };
}
