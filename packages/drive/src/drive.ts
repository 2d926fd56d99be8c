import type { ListedFile, OnProgress, Source, UploadedFile } from "keeplight";
import type { AddOptions } from "./add-options.ts";
import type { EntryLike } from "./changes.ts";
import type { Contacts } from "./contacts/contacts.ts";
import type { DriveStatus } from "./core.ts";
import type { Inbox } from "./inbox/inbox.ts";
import type { Links } from "./links/links.ts";
import type { DriveEntry, DriveFile, DriveFolder, DriveVersion } from "./tree.ts";

/** Options of {@link Drive.addManifest}. */
export interface AddManifestOptions {
  /** Receives how many of the folder's files are listed, in `loaded`. @default none */
  onProgress?: OnProgress | undefined;
  /** Ends the call. @default none */
  signal?: AbortSignal | undefined;
}

/** A file that was added. */
export interface AddedFile extends DriveFile {
  /** Nodes that do not have its key yet, with `saveOn: "enough"`. Missing if all have it. */
  nodesMissing?: readonly number[] | undefined;
  /** What was paid for, with `payPerUpload`. */
  receipt?: UploadedFile["receipt"];
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

/** Name of the file in a folder that lists all others: see {@link Drive.addManifest}. */
export const MANIFEST_NAME = ".keeplight-folder.json";

/**
 * The drive of an account. Reading returns what is known now; every change is durable in the journal once its call resolves,
 * and stored on the network within some seconds. Paths are names separated by `/`, without a slash at the start.
 */
export interface Drive extends Contacts, Inbox, Links {
  /** Content id of the file with the drive's key. */
  readonly id: string;
  /** Address of the account. */
  readonly account: string;
  /** The account's IPNS name under which the newest version is published, once it has one. */
  readonly ipnsName: string | undefined;
  /**
   * Whether a content id, in any encoding, is of a file with a key of the drive, whatever the network says that it is called. It
   * opens the names of all files, so applications do not offer to share it.
   */
  isKey(cid: string): boolean;
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
  /** Lists everything, in no particular order, with what is in the trash. */
  listAll(): DriveEntry[];
  /** Lists what was moved to the trash, without what is in these folders. */
  listTrash(): DriveEntry[];
  /** Lists the versions of a file, the current one first. @throws `INVALID_OPTION` */
  versions(file: EntryLike): DriveVersion[];
  /**
   * Lists files of the account that are in no folder: other clients stored them, or the drive was lost. Files whose upload was
   * completed by `journal.resume` are put where they were to be.
   *
   * @param files - the account's listing, as it was just read. @default reads it, as {@link Drive.sync} does
   */
  listLoose(files?: readonly ListedFile[]): Promise<ListedFile[]>;

  /** Creates a folder, and those that it is in. @throws `DUPLICATE_NAME`, `INVALID_OPTION` */
  createFolder(path: string): Promise<DriveFolder>;
  /**
   * Encrypts and uploads files and folders, under random names. A file whose name is taken in its folder becomes a new version
   * of that file. If the process ends meanwhile, `journal.resumeAll` completes the upload, and the drive has the file after
   * the next {@link Drive.sync}. A recovery kit (`recovery`) has the real names.
   *
   * @throws `INVALID_OPTION`, what `uploadEncrypted` throws
   */
  add(source: Source, options?: AddOptions): Promise<AddedFile[]>;
  /** Adds files that are stored already, such as those of {@link Drive.listLoose} or of a recovery kit. */
  adopt(files: readonly AdoptedFile[]): Promise<DriveFile[]>;
  /**
   * Moves a file or folder to another folder; empty for the top. Of a list, all are moved by one change, or none.
   *
   * @throws `DUPLICATE_NAME` with the path of the first whose name is taken there, `INVALID_OPTION`
   */
  move(entry: EntryLike, folder: EntryLike): Promise<DriveEntry>;
  move(entries: readonly EntryLike[], folder: EntryLike): Promise<DriveEntry[]>;
  /** @throws `DUPLICATE_NAME`, `INVALID_OPTION` */
  rename(entry: EntryLike, name: string): Promise<DriveEntry>;
  /** Moves a file or folder, or all of a list by one change, to the trash. Nothing is deleted. @throws `INVALID_OPTION` */
  trash(entry: EntryLike): Promise<DriveEntry>;
  trash(entries: readonly EntryLike[]): Promise<DriveEntry[]>;
  /**
   * Takes a file or folder, or all of a list by one change, out of the trash; or makes an older version of a file the current one.
   *
   * @param options - `version`: content id of the version
   * @throws `INVALID_OPTION`
   */
  restore(entry: EntryLike, options?: { version?: string | undefined }): Promise<DriveEntry>;
  restore(entries: readonly EntryLike[]): Promise<DriveEntry[]>;
  /**
   * Deletes what is in the trash for good, with all versions: one file or folder, or all of a list by one change. Encrypted files
   * are deleted from the account as well, now or by a later sync; what is not encrypted is in no folder then. Before that, what
   * other devices changed is read, and links to them are ended. What other devices have added, and this one has not read before the
   * call, stays.
   *
   * @throws `INVALID_OPTION`; what {@link Drive.sync} and {@link Drive.endLink} throw, and then nothing is deleted
   */
  remove(entries: EntryLike | readonly EntryLike[]): Promise<void>;

  /** Shares a file, or all files of a folder, with addresses, as `kavachShare` does. Later files are not shared. */
  share(entry: EntryLike, options: { shareTo: string | readonly string[] }): Promise<void>;

  /**
   * Adds a list of all files in a folder to it, so that it can be shared as a whole: `shareEncryptedFolder` with its content id
   * does, and `readEncryptedFolder` opens it for others. The list is a file named {@link MANIFEST_NAME}; if that lists other
   * files than the folder has now, it gets a new version. Files that are added later are not in it. Recovers the key of every file.
   *
   * @returns the list
   * @throws `INVALID_OPTION`; `INVALID_SOURCE` for a folder without files; what recovering a key and `add` throw
   */
  addManifest(folder: EntryLike, options?: AddManifestOptions): Promise<DriveFile>;

  /**
   * Reads what other devices changed, and stores what is not stored yet. Also ends links whose time is over, and deletes
   * versions of the drive that are older than the last 50.
   */
  sync(): Promise<void>;
  /**
   * Stores what is not stored yet, and ends. What cannot be stored is stored when the drive is opened again.
   *
   * @param options - `signal`: ends all that the drive still does. @default none
   * @throws `ABORTED`, what storing throws; nothing is lost then, and the drive is closed
   */
  close(options?: { signal?: AbortSignal | undefined }): Promise<void>;
}
