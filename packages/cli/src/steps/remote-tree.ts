import type { Drive, DriveFile } from "@keeplight/drive";
import type { FolderEntry, OnProgress } from "keeplight";
import { type Package, UsageError } from "../frame/failure.ts";
import { type Invocation, openCommandJournal } from "../frame/invocation.ts";
import { closeDrive, loadDrive } from "./drive.ts";
import { isPathTooLong } from "./file-names.ts";
import { isReference, type Reference, readReference } from "./reference.ts";

/** A file of a tree on the network. */
export interface RemoteFile {
  /** Below the folder: names separated by `/`, as its author wrote them. */
  path: string;
  cid: string;
  /** In bytes, as it will be on the disk; 0 if it is not known. */
  size: number;
  /** What an encrypted file must be opened by. */
  commitment?: string | undefined;
  chunkProfile?: string | undefined;
}

/** A folder on the network with everything below it: public, encrypted with a manifest, or of the drive. */
export interface RemoteTree {
  /** Content id; `null` of a folder of the drive. */
  cid: string | null;
  /** As it was typed; `undefined` for a single file of the drive. */
  name: string | undefined;
  isEncrypted: boolean;
  files: readonly RemoteFile[];
  /** Paths of all folders of a public one, also of those without files. */
  folders: readonly string[];
  /** Paths of what is neither file nor folder, such as symbolic links. */
  others: readonly string[];
  /** Paths of folders that were not listed, as no system can write them. */
  unlisted: readonly string[];
  /** Saves a file, whole or not at all. */
  fetch(file: RemoteFile, to: string, onProgress: OnProgress, signal: AbortSignal): Promise<unknown>;
}

/** Entries of a folder with all that is below it. */
const MAX_ENTRIES = 1_000_000;
/** Bytes of all their paths: a small folder whose folders are inside each other can have long ones without end. */
const MAX_PATH_BYTES = 256 * 1024 * 1024;
const FOLDERS_AT_ONCE = 8;

/**
 * Opens what `get -r` was called with: a content id with a path below it, or else a path in the drive.
 *
 * @throws `NOT_A_FOLDER`, `PATH_NOT_FOUND`; what listing a folder throws
 */
export async function openTree(invocation: Invocation, typed: string): Promise<RemoteTree> {
  if (!(await isReference(typed))) return openDriveTree(invocation, typed);
  const reference = await readReference(typed);
  try {
    return await openPublicTree(invocation, reference);
  } catch (error) {
    const { isKeeplightError } = await invocation.load();
    // Of a gateway that sends no blocks, the details have its URL.
    const isNoFolder = isKeeplightError(error, "UNSUPPORTED") && Object(error.details)["url"] === undefined;
    if (!isNoFolder) throw error;
    if (reference.path !== "") throw notAFolder(typed);
    return openManifest(invocation, reference.cid);
  }
}

/** Yields the entries of a public folder; see `listFolder`. */
export async function* listEntries({ load, call }: Invocation, { cid, path }: Reference): AsyncGenerator<FolderEntry> {
  const { listFolder } = await load();
  yield* listFolder(cid, { ...call, path, maxRows: MAX_ENTRIES });
}

async function openPublicTree(invocation: Invocation, reference: Reference): Promise<RemoteTree> {
  const { load, call, flag, signal } = invocation;
  const { download } = await load();
  const { mapInOrder } = await import("keeplight/parts");
  const files: RemoteFile[] = [];
  const folders: string[] = [];
  const others: string[] = [];
  const unlisted: string[] = [];
  let level: (Reference & { at: string })[] = [{ ...reference, at: "" }];
  let count = 0;
  let pathBytes = 0;

  async function list({ at, ...folder }: Reference & { at: string }) {
    const below: typeof level = [];
    for await (const { name, cid, type, size = 0 } of listEntries(invocation, folder)) {
      // The same folders inside each other have any number of paths.
      if (++count > MAX_ENTRIES)
        throw new UsageError(`The folder has more than ${MAX_ENTRIES} entries`, "TOO_MANY_ROWS");
      const path = at === "" ? name : `${at}/${name}`;
      pathBytes += Buffer.byteLength(path);
      if (pathBytes > MAX_PATH_BYTES)
        throw new UsageError(`The paths of the folder have more than ${MAX_PATH_BYTES} bytes`, "TOO_MANY_ROWS");
      if (type === "file") files.push({ path, cid, size });
      else if (type === "other") others.push(path);
      else if (isPathTooLong(path)) unlisted.push(path);
      else {
        folders.push(path);
        below.push({ cid, path: "", at: path });
      }
    }
    return below;
  }

  while (level.length > 0) {
    const next: (typeof level)[] = [];
    for await (const below of mapInOrder(level, { limit: FOLDERS_AT_ONCE, signal }, list)) next.push(below);
    level = next.flat();
  }
  files.sort((one, other) => (one.path < other.path ? -1 : 1));
  return {
    cid: reference.cid,
    name: reference.path.split("/").at(-1) || reference.cid,
    isEncrypted: false,
    ...{ files, folders, others, unlisted },
    fetch: ({ cid }, to, onProgress, signal) =>
      download(cid, { ...call, to, onProgress, signal, verifyCid: !flag("unverified") }),
  };
}

/** Errors of a file that is not the manifest of an encrypted folder. */
const NO_MANIFEST = ["INVALID_FOLDER", "CID_NOT_FOUND", "CANNOT_DECRYPT"];

async function openManifest(invocation: Invocation, cid: string): Promise<RemoteTree> {
  const { account, keyCall, load } = invocation;
  if ((await account.getSource()) === undefined) throw notAFolder(cid);
  const kit = await load();
  const signer = await account.signer();
  const { files } = await kit.readEncryptedFolder(cid, { ...keyCall, signer }).catch((error: unknown) => {
    throw kit.isKeeplightError(error) && NO_MANIFEST.includes(error.code) ? notAFolder(cid) : error;
  });
  return { ...openEncrypted(invocation, kit, files, signer), cid, name: cid };
}

async function openDriveTree(invocation: Invocation, typed: string): Promise<RemoteTree> {
  const { account, keyCall, load } = invocation;
  const kit = await load();
  const { findDrive, isFolderManifest } = await loadDrive();
  const owner = await account.owner();
  const drive = await findDrive({ ...keyCall, ...owner, journal: await openCommandJournal(kit) });
  if (!drive) throw notInDrive(typed, "the account has no drive");
  try {
    const path = typed.replace(/^\/+|\/+$/g, "");
    const found = drive.find(path);
    if (!found) throw notInDrive(typed, "the drive has no such file or folder");
    const isFile = found.type === "file";
    const listed = isFile ? [found] : listBelow(drive, path).filter((file) => !isFolderManifest(file));
    const start = isFile ? path.length - found.name.length : path.length + 1;
    const files = listed.map((file) => ({ ...file, path: file.path.slice(start) }));
    return { ...openEncrypted(invocation, kit, files, owner.signer), cid: null, name: isFile ? undefined : found.name };
  } finally {
    await closeDrive(invocation, drive);
  }
}

function listBelow(drive: Drive, folder: string): DriveFile[] {
  const isBelow = ({ path }: DriveFile) => path.startsWith(`${folder}/`);
  return drive.listAll().flatMap((each) => (each.type === "file" && !each.trashed && isBelow(each) ? each : []));
}

function openEncrypted(
  { keyCall, flag }: Invocation,
  { decrypt }: Package,
  files: readonly RemoteFile[],
  signer: Awaited<ReturnType<Invocation["account"]["signer"]>>,
): Omit<RemoteTree, "cid" | "name"> {
  return {
    isEncrypted: true,
    files,
    folders: [],
    others: [],
    unlisted: [],
    fetch: ({ cid, commitment, chunkProfile }, to, onProgress, signal) =>
      decrypt(cid, {
        ...keyCall,
        signer,
        commitment,
        chunkProfile,
        to,
        onProgress,
        signal,
        verifyCid: !flag("unverified"),
      }),
  };
}

function notAFolder(typed: string): UsageError {
  const hint =
    "Without -r a file is saved as it is stored. An encrypted folder opens with the key of its account: keeplight login";
  return new UsageError(`${typed} is not a folder`, "NOT_A_FOLDER", hint);
}

function notInDrive(typed: string, problem: string): UsageError {
  const hint = "get -r takes a content id, or a path in the drive, as keeplight ls shows it.";
  return new UsageError(`There is no ${typed}: ${problem}`, "PATH_NOT_FOUND", hint);
}
