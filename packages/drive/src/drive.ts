import type { ListedFile, OnProgress, ShareLinkOptions, Source, StorageClass } from "keeplight";
import { invalidOption, isOptions, type JournalLike, plaintextSize } from "keeplight/parts";
import {
  addFile,
  type Change,
  checkName,
  createFolder,
  type EntryLike,
  erase,
  listBelow,
  move,
  rename,
  requireEntry,
  requireFolder,
  restore,
  restoreVersion,
  toPath,
  trash,
} from "./changes.ts";
import type { Core, DriveStatus } from "./core.ts";
import type { Local } from "./local.ts";
import { mergeStates } from "./merge.ts";
import type { DriveKit } from "./remote.ts";
import { createEntryId, emptyState, type Stamp, TOP } from "./state.ts";
import { type DriveEntry, type DriveFile, type DriveFolder, type DriveVersion, listVersions } from "./tree.ts";
import { placeListed, trackUpload } from "./uploads.ts";

/** Options of {@link Drive.add}. */
export interface AddOptions {
  /** Folder to add to: what `list` returned, or its path, which is created if it is not there. @default the top */
  folder?: EntryLike | undefined;
  /** Name of a single file that has none of its own. @default that of the source */
  name?: string | undefined;
  /** Storage class. @default the network's */
  storage?: StorageClass | undefined;
  /** Receives the progress. @default none */
  onProgress?: OnProgress | undefined;
  /** Ends the call. @default none */
  signal?: AbortSignal | undefined;
}

/** A stored file that is not in the drive yet; see {@link Drive.adopt}. */
export interface AdoptedFile {
  /** Content id of the encrypted file. */
  cid: string;
  /** Name in the drive. */
  name: string;
  /** Folder: its path, or what `list` returned. @default the top */
  folder?: EntryLike | undefined;
  /** In bytes, decrypted, if it is known. @default 0 */
  size?: number | undefined;
  /** As an encrypted folder, a share link or `commitToKey` has it. @default none */
  commitment?: string | undefined;
  /** How the encrypted file was split into blocks. @default none */
  chunkProfile?: string | undefined;
}

/**
 * The drive of an account. Reading returns what is known now; every change is durable in the journal once its call resolves,
 * and stored on the network within some seconds. Paths are names separated by `/`, without a slash at the start.
 */
export interface Drive {
  /** Content id of the file with the drive's key. */
  readonly id: string;
  /** Address of the account. */
  readonly account: string;
  /** How it is doing: whether all changes are stored, and what services did. */
  status(): DriveStatus;
  /** Calls `listener` after every change, of other devices too. Returns what ends that. */
  subscribe(listener: () => void): () => void;

  /** Lists what is in a folder, folders first, by name. @throws `INVALID_OPTION` */
  list(folder?: EntryLike): DriveEntry[];
  /** Returns the file or folder at a path; `undefined` if there is none. */
  find(path: string): DriveEntry | undefined;
  /** Lists files and folders whose names contain a text, in any case, by path. */
  search(text: string): DriveEntry[];
  /** Lists what was moved to the trash, without what is in these folders. */
  listTrash(): DriveEntry[];
  /** Lists the versions of a file, the current one first. @throws `INVALID_OPTION` */
  versions(file: EntryLike): DriveVersion[];
  /**
   * Lists files of the account that are in no folder: other clients stored them, or the drive was lost. Reads the whole
   * listing, as {@link Drive.sync} does.
   */
  listLoose(): Promise<ListedFile[]>;

  /** Creates a folder, and those that it is in. @throws `DUPLICATE_NAME`, `INVALID_OPTION` */
  createFolder(path: string): Promise<DriveFolder>;
  /**
   * Encrypts and uploads files and folders, under random names. A file whose name is taken in its folder becomes a new version
   * of that file. If the process ends meanwhile, `journal.resumeAll` completes the upload, and the drive has the file after
   * the next {@link Drive.sync}.
   *
   * @throws `INVALID_OPTION`, what `uploadEncrypted` throws
   */
  add(source: Source, options?: AddOptions): Promise<DriveFile[]>;
  /** Adds files that are stored already, such as those of {@link Drive.listLoose} or of a recovery kit. */
  adopt(files: readonly AdoptedFile[]): Promise<DriveFile[]>;
  /** Moves a file or folder to another folder; empty for the top. @throws `DUPLICATE_NAME`, `INVALID_OPTION` */
  move(entry: EntryLike, folder: EntryLike): Promise<DriveEntry>;
  /** @throws `DUPLICATE_NAME`, `INVALID_OPTION` */
  rename(entry: EntryLike, name: string): Promise<DriveEntry>;
  /** Moves a file or folder to the trash. Nothing is deleted. */
  trash(entry: EntryLike): Promise<DriveEntry>;
  /**
   * Takes a file or folder out of the trash; or makes an older version of a file the current one.
   *
   * @param options - `version`: content id of the version
   */
  restore(entry: EntryLike, options?: { version?: string | undefined }): Promise<DriveEntry>;
  /** Deletes what is in the trash for good, with all versions, from the account as well. @throws `INVALID_OPTION` */
  remove(entry: EntryLike): Promise<void>;

  /** Shares a file, or all files of a folder, with addresses, as `kavachShare` does. Later files are not shared. */
  share(entry: EntryLike, options: { shareTo: string | readonly string[] }): Promise<void>;
  /** Creates a link to a file that has its real name; see `createShareLink`. */
  createLink(file: EntryLike, options: Pick<ShareLinkOptions, "page">): Promise<string>;

  /**
   * Reads what other devices changed, and stores what is not stored yet. Also deletes versions of the drive that are older
   * than the last 50.
   */
  sync(): Promise<void>;
  /** Stores what is not stored yet, and ends. What cannot be stored is stored when the drive is opened again. */
  close(): Promise<void>;
}

export function createDrive(core: Core, local: Local, kit: DriveKit, journal: JournalLike): Drive {
  const require = (entry: EntryLike) => requireEntry(core.tree, entry);

  /** Makes a change of an entry, and returns it as it is afterwards. */
  async function changeEntry(
    entry: EntryLike,
    decide: (found: DriveEntry, stamp: Stamp) => Change,
  ): Promise<DriveEntry> {
    // What is moved meanwhile stays the same entry.
    const { id } = require(entry);
    await core.change((stamp) => [decide(requireId(id), stamp), undefined]);
    return requireId(id);
  }

  function requireId(id: string): DriveEntry {
    const found = core.tree.get(id);
    if (!found) throw invalidOption("entry", "a file or folder that is not deleted");
    return found;
  }

  function requireFile(entry: EntryLike): DriveFile {
    const found = require(entry);
    if (found.type !== "file") throw invalidOption("entry", "a file");
    return found;
  }

  async function sync(): Promise<ListedFile[]> {
    const rows = await core.sync();
    const listed = rows.map((row) => ({ cid: row.cid, fileName: row.fileName ?? "", size: getSize(row) }));
    const placed = await placeListed(core, local, listed);
    if (placed.size === 0) return rows;
    // They are stored with the drive, too.
    await core.sync();
    return rows.filter(({ fileName }) => !placed.has(fileName ?? ""));
  }

  return {
    get id() {
      return core.id();
    },
    account: local.account,
    status: core.status,
    subscribe: core.subscribe,
    list: (folder = "") => listVisible(core.tree.children(requireFolder(core.tree, folder))),
    find: (path) => core.tree.find(toPath(path)),
    search(text) {
      const part = text.normalize("NFC").toLowerCase();
      const found = [...core.tree.all()].filter(({ name, trashed }) => !trashed && name.toLowerCase().includes(part));
      return found.sort((one, other) => compareText(one.path, other.path));
    },
    listTrash: () =>
      [...core.tree.all()].filter(({ trashed, parent }) => trashed && !core.tree.get(parent)?.trashed).sort(compare),
    versions: (file) => listVersions(core.state.entries.get(requireFile(file).id) ?? {}),
    async listLoose() {
      const rows = await sync();
      const known = new Set(
        [...core.state.entries.values()].flatMap(({ files = {}, erased = [] }) => [...Object.keys(files), ...erased]),
      );
      return rows.filter(({ cid, fileName }) => !known.has(cid) && !local.plans().has(fileName ?? ""));
    },
    async createFolder(path) {
      const names = toPath(path).split("/").map(checkName);
      const id = await core.change((stamp) => {
        const { tree } = core;
        const changes: Change[] = [];
        let parent = TOP;
        for (const [at, name] of names.entries()) {
          const found = tree.children(parent).find((entry) => entry.name === name && !entry.trashed);
          if (found?.type === "folder" && at < names.length - 1) parent = found.id;
          else {
            const added = createEntryId();
            changes.push(createFolder(tree, parent, name, added, stamp));
            parent = added;
          }
        }
        return [changes.reduce(mergeStates, emptyState), parent];
      });
      return requireId(id) as DriveFolder;
    },
    async add(source, options = {}) {
      if (!isOptions(options)) throw invalidOption("options", "an object");
      const { folder = "", ...upload } = options;
      const isPath = typeof folder === "string";
      const target = isPath
        ? { parent: TOP, folders: toPath(folder).split("/").filter(Boolean) }
        : { parent: requireFolder(core.tree, folder), folders: [] };
      let placed: { ids: readonly string[] } | { error: unknown } = { ids: [] };
      const place = trackUpload(core, local, journal, target, (result) => {
        placed = result;
      });
      await kit.uploadEncrypted(source as File, { ...upload, names: "hidden", journal: place });
      if ("error" in placed) throw (placed as { error: unknown }).error;
      return placed.ids.flatMap((id) => (core.tree.get(id) as DriveFile | undefined) ?? []);
    },
    async adopt(files) {
      const checked = files.map(({ name, folder = "", ...file }) => ({ ...file, name: checkName(name), folder }));
      const ids = await core.change((stamp) => {
        const changes = checked.map(({ cid, name, folder, size = 0, commitment, chunkProfile }) => {
          const place = { parent: requireFolder(core.tree, folder), name };
          const file = { size, ...(commitment && { commitment }), ...(chunkProfile && { chunkProfile }) };
          const id = createEntryId();
          return { id, change: addFile({ id, cid, place, file }, stamp) };
        });
        return [changes.map(({ change }) => change).reduce(mergeStates, emptyState), changes.map(({ id }) => id)];
      });
      return ids.map((id) => requireId(id) as DriveFile);
    },
    async move(entry, folder) {
      const parent = requireFolder(core.tree, folder);
      return changeEntry(entry, (found, stamp) => move(core.tree, core.state, found, parent, stamp));
    },
    async rename(entry, name) {
      const checked = checkName(name);
      return changeEntry(entry, (found, stamp) => rename(core.tree, found, checked, stamp));
    },
    trash: async (entry) => changeEntry(entry, trash),
    async restore(entry, { version } = {}) {
      return changeEntry(entry, (found, stamp) => {
        if (version !== undefined) return restoreVersion(core.state, found, version, stamp);
        return restore(core.tree, found, stamp);
      });
    },
    async remove(entry) {
      const found = require(entry);
      if (!found.trashed) throw invalidOption("entry", "a file or folder in the trash");
      const below = new Set(listBelow(core.tree, found).map(({ id }) => id));
      const cids = new Set<string>();
      const kept = new Set<string>();
      for (const [id, { files = {} }] of core.state.entries) {
        for (const cid of Object.keys(files)) (below.has(id) ? cids : kept).add(cid);
      }
      for await (const row of kit.iterateFiles()) {
        // Another entry may be of the same file.
        if (cids.has(row.cid) && !kept.has(row.cid)) await kit.deleteFile(row.id);
      }
      await core.change(() => [erase(core.tree, core.state, requireId(found.id)), undefined]);
    },
    async share(entry, { shareTo }) {
      const files = listBelow(core.tree, require(entry)).filter(({ type, trashed }) => type === "file" && !trashed);
      const addresses = [shareTo].flat();
      for (const file of files) await kit.kavachShare((file as DriveFile).cid, { shareTo: addresses, journal });
    },
    async createLink(file, { page }) {
      const { cid, name, chunkProfile } = requireFile(file);
      return kit.createShareLink(cid, { page, name, chunkProfile });
    },
    async sync() {
      await sync();
    },
    close: core.close,
  };
}

const compareText = (one: string, other: string) => one.localeCompare(other, undefined, { numeric: true });

/** Folders first, by name. */
function compare(one: DriveEntry, other: DriveEntry): number {
  return one.type === other.type ? compareText(one.name, other.name) : one.type === "folder" ? -1 : 1;
}

const listVisible = (entries: readonly DriveEntry[]) => entries.filter(({ trashed }) => !trashed).sort(compare);

function getSize({ fileSizeInBytes, encryption }: ListedFile): number {
  const size = Number(fileSizeInBytes ?? 0);
  return encryption ? Math.max(0, plaintextSize(size)) : size;
}
