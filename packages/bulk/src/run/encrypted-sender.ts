import { isKeeplightError, type JournalUnlock } from "keeplight";
import {
  createUploadSteps,
  type Entries,
  type Entry,
  isStoredAs,
  mapInOrder,
  openEntries,
  toNodeName,
  type UploadState,
} from "keeplight/parts";
import { isOfDatabase } from "../ledger/database.ts";
import {
  FILE_LOST,
  type FileProblem,
  isDone,
  KEY_UNREADABLE,
  type Ledger,
  type LedgerPlan,
  type LedgerRow,
  type RowChange,
} from "../ledger/ledger.ts";
import { withBatch } from "../ledger/open-ledger.ts";
import { toRunError } from "./classify-error.ts";
import type { ResolvedUpload } from "./plain-sender.ts";
import type { BatchSender, EncryptedSenders } from "./run-batch.ts";

interface BatchState extends UploadState {
  /** Id of the plan. */
  plan: string;
  batch: number;
}

/** The kind of a journal's entries of batches. They are not resumed like uploads: the ledger has to know of their files. */
const BATCH_KIND = "bulk-batch";

/**
 * Creates what encrypts and sends batches. Each batch has an entry in the journal beside the ledger, under its own name: the
 * keys of its files are in it, sealed, before anything is sent, and until the ledger has that they are on the key nodes. Files
 * whose keys are in a damaged entry are set aside, and do not stop the others.
 */
export function createEncryptedSenders(
  ledger: Ledger,
  upload: ResolvedUpload,
  unlock: JournalUnlock | undefined,
): EncryptedSenders {
  let opened: Promise<Entries> | undefined;

  async function openJournal(): Promise<Entries> {
    try {
      return await openEntries(await ledger.openJournalStore(), unlock);
    } catch (error) {
      throw toRunError(error);
    }
  }

  async function openSwept(): Promise<Entries> {
    const journal = await openJournal();
    await eraseDone(journal, ledger);
    return journal;
  }

  function open(): Promise<Entries> {
    opened ??= openSwept().catch((error) => {
      opened = undefined;
      throw error;
    });
    return opened;
  }

  return {
    open,
    async startBatch(plan, batch, rows) {
      const journal = await open();
      return createBatchSender(journal, await openBatchEntry(journal, plan.id, batch, rows), plan, upload);
    },
  };
}

/** Erases entries of batches that are done: their process ended after the ledger had it, and before they were removed. */
async function eraseDone(journal: Entries, ledger: Ledger): Promise<void> {
  for (const record of await journal.list()) {
    if ("error" in record || record.kind !== BATCH_KIND) continue;
    const { plan, batch } = record.state as BatchState;
    await withBatch(ledger, plan, batch, async () => {
      // Read before the rows: what another process writes into it later is not erased.
      const entry = await journal.acquire(record.id).catch(ignoreTaken);
      if (!entry) return;
      try {
        const rows = await ledger.read(plan, batch);
        if (rows.length > 0 && rows.every(isKeyless)) await entry.erase();
      } finally {
        await entry.release();
      }
    });
  }
}

/** An entry that another process uses, or has just removed. */
function ignoreTaken(error: unknown): undefined {
  if (!isKeeplightError(error, "JOURNAL_ENTRY_BUSY") && !isKeeplightError(error, "JOURNAL_ENTRY_UNKNOWN")) throw error;
}

/** Whether a file needs no key of the journal any more, even if it is retried: it is done, or was set aside before it was sent. */
function isKeyless({ status, problem }: LedgerRow): boolean {
  return status === "saved" || status === "verified" || (status === "found" && problem !== undefined);
}

/** Whether a file may be on the network, and its key nowhere but in the journal. */
function isSent({ status }: LedgerRow): boolean {
  return status === "sent" || status === "stored";
}

/**
 * Opens the entry of a batch. A damaged one stays as it is, in case it is put back from a copy: what is sent from then on has
 * its keys in another one.
 *
 * @param rows - of the batch: of several entries, the last one is continued under whose keys files were sent that are not done
 * @returns the entry that the batch is continued with; the ids of its `damaged` entries; whether it has others, damaged or not:
 * keys that this one does not have may be there
 * @throws what `Entries.open` throws, but not for a damaged entry
 */
async function openBatchEntry(journal: Entries, plan: string, batch: number, rows: readonly LedgerRow[]) {
  const needed = rows.filter((row) => isSent(row) && !row.problem);
  const damaged: string[] = [];
  const opened: Entry<BatchState>[] = [];
  for (let number = 0; ; number++) {
    const name = number === 0 ? `${plan} ${batch}` : `${plan} ${batch} ${number}`;
    const empty: BatchState = { owner: "", options: {}, files: [], plan, batch };
    const entry = await journal.open(BATCH_KIND, name, empty).catch(async (error: unknown) => {
      if (isKeeplightError(error, "JOURNAL_DAMAGED")) return error.details.what;
      await Promise.all(opened.map((each) => each.release()));
      throw error;
    });
    if (typeof entry === "string") {
      damaged.push(entry);
      continue;
    }
    opened.push(entry);
    // The first one may have been removed by hand.
    if (isNew(entry) && (number > 0 || needed.length === 0)) break;
  }
  const existing = opened.filter((each) => !isNew(each));
  const entry = existing.findLast((each) => needed.some((row) => wasSentBy(each, row))) ?? existing.at(-1) ?? opened[0];
  if (!entry) throw new Error("A batch has an entry at last");
  const others = opened.filter((each) => each !== entry);
  const hasOthers = damaged.length > 0 || others.some((each) => !isNew(each));
  await Promise.all(others.map((each) => (isNew(each) ? each.complete() : each.release())));
  return { entry, damaged, hasOthers };
}

const isNew = ({ state }: Entry<BatchState>) => state.files.length === 0;

function wasSentBy({ state }: Entry<BatchState>, row: LedgerRow): boolean {
  const file = state.files.find(({ path }) => path === row.path);
  return file !== undefined && file.attempts.length > 0 && (row.cid === undefined || isStoredAs(file, row.cid));
}

const LOCATED_AT_ONCE = 16;

/**
 * Encrypts and sends the files of one batch, and saves their keys. What an earlier process had sent is continued with its keys.
 *
 * @param opened - the entry of the batch in the journal, without files before they are sent for the first time
 */
function createBatchSender(
  journal: Entries,
  { entry, damaged, hasOthers }: Awaited<ReturnType<typeof openBatchEntry>>,
  { oneKeyPerBatch }: LedgerPlan,
  upload: ResolvedUpload,
): BatchSender {
  const steps = createUploadSteps(entry, upload);
  const isOneKey = oneKeyPerBatch === true;
  let isOver = false;
  let isUnneeded = false;

  const findIndex = ({ path, cid }: LedgerRow) =>
    entry.state.files.findIndex(
      (file) => file.path === path && (!hasOthers || cid === undefined || isStoredAs(file, cid)),
    );

  return {
    async recover(rows, _files, signal) {
      // What may be stored is not stored again unless that is requested.
      const unreadable = hasOthers ? rows.filter((row) => findIndex(row) < 0) : [];
      if (unreadable.length > 0) return setAside(unreadable, UNREADABLE_KEY);
      const changes: RowChange[] = [];
      const locate = async (row: LedgerRow, end: AbortSignal) => ({
        row,
        cid: await steps.locate(findIndex(row), end),
      });
      for await (const { row, cid } of mapInOrder(rows, { limit: LOCATED_AT_ONCE, signal }, locate)) {
        if (cid !== undefined) changes.push({ index: row.index, from: row.status, to: "stored", cid });
      }
      return changes;
    },

    async prepare(files, signal) {
      const { files: prepared } = entry.state;
      const known = new Set(prepared.map(({ path }) => path));
      const missing = files.map(({ row }) => row.path).filter((path) => !known.has(path));
      const taken = prepared.map(({ name }) => name);
      await steps.prepare(toStoredNames(missing, taken), isOneKey, signal);
    },

    async send(files, signal) {
      const indexes = files.map(({ row }) => findIndex(row));
      const cids = await steps.send(indexes, files, isOneKey, signal);
      return files.map(({ row }, at) => ({ index: row.index, from: "sent", to: "stored", cid: cids[at] ?? "" }));
    },

    async saveKeys(rows, signal) {
      const lost = rows.filter((row) => findIndex(row) < 0);
      if (lost.length > 0) return setAside(lost, hasOthers ? UNREADABLE_KEY : LOST_KEY);
      const cids = rows.map(({ cid = "" }) => cid);
      const saved = new Set(await steps.saveKeys(rows.map(findIndex), cids, signal));
      return rows
        .filter((_, at) => saved.has(at))
        .map(({ index }): RowChange => ({ index, from: "stored", to: "saved" }));
    },

    async settle(rows) {
      const kept = rows.filter(isSent).map(findIndex);
      const isNeeded = kept.some((index) => (entry.state.files[index]?.attempts.length ?? 0) > 0);
      isOver = !isNeeded && rows.every((row) => isDone(row, true));
      isUnneeded = isOver && kept.length === 0;
    },

    async close() {
      // By now it may be another process's, with other keys: what that has written stays.
      await (isOver ? entry.erase().catch(rethrowOfDatabase) : entry.release());
      if (isUnneeded) for (const id of damaged) await journal.discard(id).catch(() => undefined);
    },
  };
}

/** By the next attempt of the batch the database may erase it. In a folder, the next process does that. */
function rethrowOfDatabase(error: unknown): void {
  if (isOfDatabase(error)) throw error;
}

const UNREADABLE_KEY: FileProblem = {
  code: KEY_UNREADABLE,
  message:
    "The journal's entry with the key of the file is damaged: put it back from a copy, or retry with encryptAgain (--encrypt-again)",
};

/** The file is stored, and nobody can open it: it starts again once it is retried. */
const LOST_KEY: FileProblem = {
  code: FILE_LOST,
  message: "The journal of the plan does not have the key of the file any more",
};

const setAside = (rows: readonly LedgerRow[], problem: FileProblem): RowChange[] =>
  rows.map(({ index, status }) => ({ index, from: status, to: status, problem }));

/**
 * Returns the names to store files under, whose paths in the source these are: the paths with `-` for `/`, and numbers before
 * those that others have.
 *
 * @param others - names that are taken
 */
function toStoredNames(paths: readonly string[], others: readonly string[]): { path: string; name: string }[] {
  const taken = new Set(others.map(toNodeName));
  return paths.map((path) => {
    const flat = path.replaceAll("/", "-");
    let name = flat;
    for (let number = 2; taken.has(toNodeName(name)); number++) name = `${number}-${flat}`;
    taken.add(toNodeName(name));
    return { path, name };
  });
}
