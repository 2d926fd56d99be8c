import { isKeeplightError } from "keeplight";
import { invalidOption, isOptions, type writeStoredManifest } from "keeplight/parts";
import { type EntryLike, requireEntry } from "./changes.ts";
import type { Core } from "./core.ts";
import { type AddManifestOptions, type Drive, MANIFEST_NAME } from "./drive.ts";
import { listSharedFiles } from "./folder-manifests.ts";
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
  const known = core.tree.children(folder.id).find(({ name, trashed }) => name === MANIFEST_NAME && !trashed);
  const stored = { name: folder.name, owner: account, files };
  if (known?.type === "file" && (await isListOf(kit, known, stored, signal))) return known;
  const total = files.length;
  const manifest = await write(stored, signal, (loaded) => {
    onProgress?.({ phase: "preparing", loaded, total, fraction: Math.min(loaded / total, 0.99) });
  });
  const [added] = await add(new File([manifest], MANIFEST_NAME), { folder, signal });
  if (!added) throw invalidOption("folder", "a folder that is not deleted meanwhile");
  return added;
}

/** Lists the files of a folder, by their paths in it. Manifests are not among them. */
function listFiles(core: Core, folder: DriveEntry): StoredFiles["files"] {
  const start = folder.path.length + 1;
  return listSharedFiles(core.tree, folder).map(({ path, cid, size, commitment, chunkProfile }) => {
    const proofs = { ...(commitment && { commitment }), ...(chunkProfile && { chunkProfile }) };
    return { path: path.slice(start), cid, size, ...proofs };
  });
}

/** What the account cannot read as a manifest, whichever services respond: another file of that name, or one of another account. */
const NOT_A_LIST = ["INVALID_FOLDER", "NODE_REFUSED", "CID_NOT_FOUND"] as const;

/** Whether a manifest is the account's own, and lists these files under these names. */
async function isListOf(
  kit: Place["kit"],
  { cid, commitment, chunkProfile }: DriveFile,
  { name, owner, files }: StoredFiles,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  try {
    const opened = await kit.readEncryptedFolder(cid, { commitment, chunkProfile, signal });
    const describe = (listed: StoredFiles["files"]) => listed.map((file) => `${file.path}\n${file.cid}`).sort();
    const isOwn = opened.owner === owner && opened.name === name;
    return isOwn && JSON.stringify(describe(opened.files)) === JSON.stringify(describe(files));
  } catch (error) {
    if (NOT_A_LIST.some((code) => isKeeplightError(error, code))) return false;
    throw error;
  }
}
