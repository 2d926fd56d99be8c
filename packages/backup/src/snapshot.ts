import { randomBytes } from "node:crypto";
import { mapInOrder } from "keeplight/parts";
import { isId } from "./entries.ts";
import { invalidBackup } from "./invalid-backup.ts";
import type { ResolvedRead, ResolvedWrite } from "./options.ts";
import { withPatience } from "./patience.ts";
import { readStored, type StoredFile, store, toStoredName } from "./remote.ts";
import { openRepository, type Repository } from "./repository.ts";
import { openSealedFile, readRepositoryName, sealFile } from "./sealed-file.ts";

/** What a snapshot says about itself. */
export interface Snapshot {
  /** Content id: it changes when its chunks are moved to other packs. */
  cid: string;
  /** 16 hex digits, which stay; in the first format, the content id. */
  id: string;
  /** When it was created, in milliseconds since 1970. */
  createdAt: number;
  /** Name of the machine; empty for a store, which any machine reads, and in the first format, which does not have it. */
  host: string;
  /** Absolute path of the folder on that machine, or the place of the store; in the first format, the folder's name. */
  root: string;
  tags: string[];
  /** How many files it has. */
  files: number;
  /** Size of all files, in bytes. */
  bytes: number;
  /** Whether it is of the first format, whose files are stored whole: it can be restored, and no rule forgets it. */
  isFirstFormat?: true;
}

/** A snapshot with what leads to its files. */
export interface SnapshotContent extends Omit<Snapshot, "cid" | "isFirstFormat"> {
  /** Ids of the chunks that its list of entries consists of. */
  tree: string[];
  /** Content ids of the packs that have its chunks. */
  packs: string[];
  /** How often its chunks were moved to other packs. */
  moves: number;
}

const VERSION = 1;

export const createSnapshotId = () => randomBytes(8).toString("hex");

/** Stores a snapshot, and returns its content id. */
export function storeSnapshot(
  content: SnapshotContent,
  repository: Repository,
  options: ResolvedWrite,
): Promise<string> {
  const bytes = sealFile("snapshot", repository.cid, { version: VERSION, ...content }, repository.keys);
  const name = toStoredName(repository.id, "snapshot");
  return withPatience(() => store(bytes, name, options, options.storage), options);
}

/** A snapshot that was read. */
export interface OpenedSnapshot {
  cid: string;
  repository: Repository;
  content: SnapshotContent;
}

/**
 * Reads a snapshot by its content id alone: it names its repository. `undefined` for a file that is not of this format.
 *
 * @throws `INVALID_SNAPSHOT`; what `decrypt` and `openFile` throw
 */
export async function openSnapshot(cid: string, options: ResolvedRead): Promise<OpenedSnapshot | undefined> {
  const file = await readStored(cid, options);
  const name = file && readRepositoryName("snapshot", file);
  if (!file || name === undefined) return undefined;
  const repository = await openRepository(name, options);
  if (!repository) throw invalidBackup(cid, "it names another file as its repository");
  return { cid, repository, content: parseSnapshot(cid, file, repository) };
}

function parseSnapshot(cid: string, file: Uint8Array, { keys }: Repository): SnapshotContent {
  const value = openSealedFile("snapshot", file, keys);
  if (value === undefined) throw invalidBackup(cid, "it is another file, or damaged");
  const { version, id, createdAt, host, root, tags, files, bytes, tree, packs, moves } = value as Record<
    string,
    unknown
  >;
  if (version !== VERSION) throw invalidBackup(cid, "a later version of this package wrote it");
  const isText = (text: unknown): text is string => typeof text === "string";
  const areCounts = [createdAt, files, bytes, moves].every(
    (count) => Number.isSafeInteger(count) && Number(count) >= 0,
  );
  const areNames = isText(id) && /^[0-9a-f]{16}$/.test(id) && isText(host) && isText(root);
  const areLists = [tags, packs].every((list) => Array.isArray(list) && list.every(isText));
  if (!areCounts || !areNames || !areLists || !Array.isArray(tree) || !tree.every(isId))
    throw invalidBackup(cid, "it is malformed");
  return {
    id,
    createdAt: Number(createdAt),
    host,
    root,
    tags: tags as string[],
    files: Number(files),
    bytes: Number(bytes),
    tree,
    packs: packs as string[],
    moves: Number(moves),
  };
}

const READ_AT_ONCE = 8;

/** A file of the account that is named like a snapshot, read. */
export type ReadSnapshot = { file: StoredFile } & ({ content: SnapshotContent } | { error: unknown });

/** Reads all files of an account that are named like snapshots of a repository. */
export async function* readSnapshots(
  stored: readonly StoredFile[],
  repository: Repository,
  options: ResolvedRead,
): AsyncGenerator<ReadSnapshot> {
  const files = stored.filter(({ kind, repository: id }) => kind === "snapshot" && id === repository.id);
  const work = async (file: StoredFile, signal: AbortSignal): Promise<ReadSnapshot> => {
    try {
      const bytes = await readStored(file.cid, { ...options, signal });
      if (!bytes) throw invalidBackup(file.cid, "it is another file");
      return { file, content: parseSnapshot(file.cid, bytes, repository) };
    } catch (error) {
      return { file, error };
    }
  };
  yield* mapInOrder(files, { limit: READ_AT_ONCE, signal: options.signal }, work);
}

/** Returns what a snapshot says about itself. */
export function describeSnapshot(
  cid: string,
  { tree: _, packs: __, moves: ___, ...content }: SnapshotContent,
): Snapshot {
  return { cid, ...content };
}
