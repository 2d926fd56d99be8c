import { absolutePath } from "#platform";
import { isKeeplightError } from "../../base/errors/base.ts";
import { isUnfinished, setOperationId } from "../../base/errors/unfinished.ts";
import type { Entry } from "../../journal/entries.ts";
import { getEntries, type JournalLike } from "../../journal/handle.ts";
import { UPLOAD_KIND } from "../../journal/operations.ts";
import type { FileAccessState, UploadAccessState } from "../../keys/nodes/supersede.ts";
import type { KeyShard } from "../../keys/shards/sharing.ts";
import type { FileFacts, SourceFile } from "../../platform/types.ts";
import type { FileKey } from "./encrypt-files.ts";
import { toEncryptedName } from "./file-names.ts";
import type { AttemptCids, UnsentUpload, UploadEntry } from "./upload-entry.ts";
import type { UploadedFile } from "./upload-response.ts";

/** What a journal keeps of one file of an encrypted upload. */
export interface FileState extends FileAccessState {
  /** As it is sent. */
  name: string;
  /** Where it is in the folder that is uploaded, if it is in one. */
  path?: string | undefined;
  /** Of the source, in bytes, if known. */
  size?: number | undefined;
  /** Of a source on a disk. */
  facts?: FileFacts | undefined;
  /** Of a source that is a `File`: when it was changed, in milliseconds since 1970. */
  lastModified?: number | undefined;
  masterKey: string;
  keyShards: readonly KeyShard[];
  /** The content ids of each attempt to send it, the latest first; every attempt has a salt and an iv of its own. */
  attempts: readonly AttemptCids[];
  /** Where it is stored, once that is known. */
  stored?: UploadedFile | undefined;
  /** The nodes that have their shard. */
  nodesDone: readonly number[];
}

/** What a journal keeps of an encrypted upload. */
export interface UploadState extends UploadAccessState {
  /** Address. */
  owner: string;
  /** Those that determine the result; never one that authenticates. */
  options: ResultOptions;
  files: readonly FileState[];
  /** Name of the folder, if they are those of one, and its manifest after them. */
  folder?: string | undefined;
  /** Set if all files have one master key, except the manifest. */
  oneKey?: true | undefined;
  /** The id that it had while it waited in the journal, if it did. */
  queued?: string | undefined;
}

/** Options that determine the result of an upload. */
export interface ResultOptions {
  readonly shareTo?: unknown;
  readonly endpoints?: unknown;
  readonly recoveryTo?: unknown;
  readonly [name: string]: unknown;
}

/**
 * Starts the entry of an upload, then runs it. Nothing is sent unless all that is needed to continue it is on the disk. The
 * entry stays open if the error of the upload can be resumed, and is removed otherwise.
 *
 * @throws `INVALID_OPTION`, `CANNOT_WRITE`; what `work` throws
 */
export async function runInJournal<T>(
  journal: JournalLike,
  { owner, files, keys, folder }: UnsentUpload,
  options: ResultOptions,
  work: (entry: UploadEntry) => Promise<T>,
): Promise<T> {
  const { start, queued } = getEntries(journal);
  const state: UploadState = {
    owner,
    options: { ...options, recoveryTo: toAbsolute(options.recoveryTo) },
    files: files.map((file, at) => ({ ...toFileState(file, keys[at]), path: folder?.paths[at] })),
    folder: folder?.name,
    oneKey: folder?.oneKey,
    queued: queued?.id,
  };
  // Before its last byte is sent, the entry is written once more, durably: until then a power cut loses nothing.
  const entry = await start(UPLOAD_KIND, state, { durable: false });
  try {
    const result = await work(createUploadEntry(entry, journal));
    const hasLeft = (await queued?.leave()) ?? true;
    // Otherwise it would be offered, and sent again.
    await (hasLeft ? entry.complete() : entry.release());
    return result;
  } catch (error) {
    // An error of another kind leaves open what was done.
    const isOver = isKeeplightError(error) && !isUnfinished(error);
    // What has to be sent from its start keeps its place.
    if (!isOver) await queued?.leave();
    await (isOver ? entry.complete() : entry.release());
    if (isUnfinished(error)) setOperationId(error, entry.id);
    throw error;
  }
}

/**
 * Returns where a recovery kit is, for a process in another working directory. A function that stores its messages is not
 * in the entry: it has to be passed again on resuming.
 */
function toAbsolute(recoveryTo: unknown): string | undefined {
  if (recoveryTo === undefined || typeof recoveryTo === "function") return undefined;
  const folder = String(recoveryTo);
  return folder.startsWith("file:") ? folder : absolutePath(folder);
}

function toFileState(file: SourceFile, key: FileKey | undefined): FileState {
  const { masterKey = "", keyShards = [] } = key ?? {};
  const { size, facts } = file;
  const name = toEncryptedName(file);
  const lastModified = getLastModified(file);
  return { name, size, facts, lastModified, masterKey, keyShards, attempts: [], nodesDone: [] };
}

export function getLastModified({ blob }: SourceFile): number | undefined {
  return blob && "lastModified" in blob ? Number(blob.lastModified) : undefined;
}

/**
 * Returns the entry of an upload as its steps use it. It is owned until the work that runs now ends; what is resumed later
 * acquires it from the journal again.
 */
export function createUploadEntry(current: Entry<UploadState>, journal?: JournalLike): UploadEntry {
  let entry = current;

  function changeFiles(change: (file: FileState, index: number) => FileState): Partial<UploadState> {
    return { files: entry.state.files.map(change) };
  }

  return {
    expectCids: (files) =>
      entry.update(
        changeFiles((file, index) => {
          const { cids, size } = files[index] ?? {};
          return cids && size !== undefined ? { ...file, attempts: [{ cids, size }, ...file.attempts] } : file;
        }),
      ),
    async locate(stored) {
      const changed = changeFiles((file, index) => {
        const found = stored[index];
        const isKnown = found === undefined || found.Hash === file.stored?.Hash;
        return isKnown ? file : { ...file, stored: found, nodesDone: [] };
      });
      const isExpected = changed.files?.every(({ stored: found, attempts }) =>
        attempts.some(({ cids }) => found && cids.includes(found.Hash)),
      );
      // Content ids that were expected are on the disk already.
      if (isExpected) entry.note(changed);
      else await entry.update(changed);
    },
    addNode(index, node) {
      entry.note(
        changeFiles((file, at) => (at === index ? { ...file, nodesDone: [...file.nodesDone, node].sort() } : file)),
      );
    },
    nodesDone: (index) => entry.state.files[index]?.nodesDone ?? [],
    shareTo: (index) => entry.state.files[index]?.shareTo,
    async resume(work) {
      if (!journal) return work();
      entry = (await getEntries(journal).acquire(entry.id)) as Entry<UploadState>;
      return settleResumed(entry, work);
    },
  };
}

/** Runs work that continues an open operation: completes it, or leaves it open after any error. */
export async function settleResumed<T>(entry: Entry, work: () => Promise<T>): Promise<T> {
  try {
    const result = await work();
    await entry.complete();
    return result;
  } catch (error) {
    await entry.release();
    if (isUnfinished(error)) setOperationId(error, entry.id);
    throw error;
  }
}
