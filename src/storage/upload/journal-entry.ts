import { absolutePath } from "#platform";
import { isKeeplightError } from "../../base/errors/base.ts";
import { isUnfinished, setOperationId } from "../../base/errors/unfinished.ts";
import type { Entry } from "../../journal/entries.ts";
import { getEntries, type JournalLike } from "../../journal/handle.ts";
import { UPLOAD_KIND } from "../../journal/operations.ts";
import type { UploadAccessState } from "../../keys/nodes/call-entry.ts";
import type { StoredPayment, UploadPayer } from "./upload-access.ts";
import { addAttempts, addNode, type FileState, setLocations, type UploadEntry } from "./upload-entry.ts";

/** What a journal keeps of an encrypted upload. */
export interface UploadState extends UploadAccessState {
  /** Address. */
  owner: string;
  options: { [Name in (typeof resultOptions)[number]]?: unknown } & { payPerUpload?: StoredPayment | undefined };
  files: readonly FileState[];
  /** Name of the folder, if they are those of one, and its manifest after them. */
  folder?: string | undefined;
  /** Set if all files have one master key, except the manifest. */
  oneKey?: true | undefined;
  /** What is paid for, if it is. */
  order?: object | undefined;
  /** The id that it had while it waited in the journal, if it did. */
  queued?: string | undefined;
}

/** An encrypted upload of which nothing is sent yet. */
export type UnsentUpload = Pick<UploadState, "owner" | "files" | "folder" | "oneKey" | "order">;

/** Options that a journal keeps, because they determine the result; never one that authenticates. */
const resultOptions = [
  "cidVersion",
  "wrapWithDirectory",
  "verifyCid",
  "storage",
  "checkRoom",
  "endpoints",
  "saveOn",
  "threshold",
  "scheme",
  "shareTo",
  "conditions",
  "chainType",
  "aggregator",
  "decryptionType",
  "recovery",
  "recoveryTo",
] as const;

/**
 * Starts the entry of an upload, then runs it. Nothing is sent unless all that is needed to continue it is on the disk. The
 * entry stays open if the error of the upload can be resumed, and is removed otherwise.
 *
 * @throws `INVALID_OPTION`, `CANNOT_WRITE`; what `work` throws
 */
export async function runInJournal<T>(
  journal: JournalLike,
  upload: UnsentUpload,
  options: { readonly [Name in (typeof resultOptions)[number]]: unknown } & {
    payPerUpload: UploadPayer | undefined;
  },
  work: (entry: UploadEntry) => Promise<T>,
): Promise<T> {
  const { start, queued } = getEntries(journal);
  const stored = Object.fromEntries(resultOptions.map((name) => [name, options[name]]));
  const recoveryTo = toAbsolute(options.recoveryTo);
  const payPerUpload = options.payPerUpload?.stored;
  const state: UploadState = { ...upload, options: { ...stored, recoveryTo, payPerUpload }, queued: queued?.id };
  // Before its last byte is sent, the entry is written once more, durably: until then a power cut loses nothing, unless a
  // service is paid before.
  const entry = await start(UPLOAD_KIND, state, { durable: upload.order !== undefined });
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

/**
 * Returns the entry of an upload as its steps use it. It is owned until the work that runs now ends; what is resumed later
 * acquires it from the journal again.
 */
export function createUploadEntry(current: Entry<UploadState>, journal?: JournalLike): UploadEntry {
  let entry = current;
  const files = () => entry.state.files;
  return {
    files,
    expectCids: (expected) => entry.update({ files: addAttempts(files(), expected) }),
    async locate(stored) {
      const changed = { files: setLocations(files(), stored) };
      const isExpected = changed.files.every(({ stored: found, attempts }) =>
        attempts.some(({ cids }) => found && cids.includes(found.Hash)),
      );
      // Content ids that were expected are on the disk already. A receipt's id is in no other response.
      if (isExpected && stored.every((row) => row?.receipt === undefined)) entry.note(changed);
      else await entry.update(changed);
    },
    addNode: (index, node) =>
      entry.note({ files: files().map((file, at) => (at === index ? addNode(file, node) : file)) }),
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
