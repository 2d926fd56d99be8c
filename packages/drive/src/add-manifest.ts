import { isKeeplightError } from "keeplight";
import { invalidOption, isOptions, type writeStoredManifest } from "keeplight/parts";
import { type EntryLike, listBelow, requireEntry } from "./changes.ts";
import type { Core } from "./core.ts";
import { type AddManifestOptions, type Drive, MANIFEST_NAME } from "./drive.ts";
import type { DriveKit } from "./remote.ts";
import type { DriveEntry, DriveFile } from "./tree.ts";

type StoredFiles = Parameters<typeof writeStoredManifest>[0];

/** Writes a manifest of stored files: `writeStoredManifest`, for the drive's account. */
export type WriteManifest = (
  folder: StoredFiles,
  signal: AbortSignal | undefined,
  onFile: (done: number) => void,
) => Promise<Uint8Array<ArrayBuffer>>;

interface Place {
  core: Core;
  kit: Pick<DriveKit, "readEncryptedFolder">;
  account: string;
  write: WriteManifest;
  add: Drive["add"];
}

/** As {@link Drive.addManifest}. */
export async function addManifest(
  { core, kit, account, write, add }: Place,
  entry: EntryLike,
  options: AddManifestOptions = {},
): Promise<DriveFile> {
  if (!isOptions(options)) throw invalidOption("options", "an object");
  const { signal, onProgress } = options;
  const folder = requireEntry(core.tree, entry);
  if (folder.type !== "folder" || folder.trashed) throw invalidOption("folder", "a folder that is not in the trash");
  const files = listFiles(core, folder);
  const known = core.tree.children(folder.id).find(isManifest);
  if (known?.type === "file" && (await isListOf(kit, known, folder.name, files, signal))) return known;
  const total = files.length;
  const stored = { name: folder.name, owner: account, files };
  const manifest = await write(stored, signal, (loaded) => {
    onProgress?.({ phase: "preparing", loaded, total, fraction: Math.min(loaded / total, 0.99) });
  });
  const [added] = await add(new File([manifest], MANIFEST_NAME), { folder, signal });
  if (!added) throw invalidOption("folder", "a folder that is not deleted meanwhile");
  return added;
}

const isManifest = (entry: DriveEntry): boolean =>
  entry.type === "file" && entry.name === MANIFEST_NAME && !entry.trashed;

/** Lists the files of a folder, by their paths in it. Manifests are not among them. */
function listFiles(core: Core, folder: DriveEntry): StoredFiles["files"] {
  const start = folder.path.length + 1;
  return listBelow(core.tree, folder).flatMap((entry) => {
    if (entry.type !== "file" || entry.trashed || isManifest(entry)) return [];
    const { cid, size, commitment, chunkProfile } = entry;
    const proofs = { ...(commitment && { commitment }), ...(chunkProfile && { chunkProfile }) };
    return { path: entry.path.slice(start), cid, size, ...proofs };
  });
}

/** Whether a manifest lists these files, under these names. One that cannot be read as a folder's does not. */
async function isListOf(
  kit: Place["kit"],
  { cid, commitment, chunkProfile }: DriveFile,
  name: string,
  files: StoredFiles["files"],
  signal: AbortSignal | undefined,
): Promise<boolean> {
  try {
    const opened = await kit.readEncryptedFolder(cid, { commitment, chunkProfile, signal });
    const describe = (listed: StoredFiles["files"]) => listed.map((file) => `${file.path}\n${file.cid}`).sort();
    return opened.name === name && JSON.stringify(describe(opened.files)) === JSON.stringify(describe(files));
  } catch (error) {
    if (isKeeplightError(error, "INVALID_FOLDER")) return false;
    throw error;
  }
}
