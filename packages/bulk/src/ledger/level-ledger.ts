import { chmod, mkdir } from "node:fs/promises";
import type { ClassicLevel } from "classic-level";
import { KeeplightError } from "keeplight";
import { cannotWrite, journalStore } from "keeplight/parts";
import { withWriteErrors } from "keeplight/parts/node";
import { loadPackage } from "./database.ts";
import {
  applyChanges,
  countRows,
  isDone,
  type Ledger,
  type LedgerPayment,
  type LedgerPlan,
  type LedgerRow,
  type SentFolder,
  type StatusCount,
  toRow,
} from "./ledger.ts";

/** Opens a ledger in a folder, which one process at a time can use. */
export async function openLevelLedger(folder: string): Promise<Ledger> {
  const { ClassicLevel } = await loadPackage("classic-level", () => import("classic-level"));
  await withWriteErrors(folder, () => mkdir(folder, { recursive: true, mode: 0o700 }));
  // LevelDB's files are readable by all, and name what an encrypted plan sends. It may be a folder of another user.
  await chmod(folder, 0o700).catch(() => undefined);
  const level = new ClassicLevel<string, unknown>(folder, { valueEncoding: "json" });
  try {
    await level.open();
  } catch (error) {
    const { cause } = error as { cause?: { code?: string } };
    if (cause?.code === "LEVEL_LOCKED") {
      const message = `Invalid option ledger: expected a ledger that no other process uses: ${folder} is in use`;
      throw new KeeplightError("INVALID_OPTION", message, { details: { option: "ledger" }, cause });
    }
    throw cannotWrite(folder, toSystemError(error));
  }
  return createLevelLedger(level, folder);
}

type Write = { type: "put"; key: string; value: unknown } | { type: "del"; key: string };

function createLevelLedger(level: ClassicLevel<string, unknown>, place: string): Ledger {
  const owned = new Set<string>();
  // Only this process uses the folder.
  const never = new AbortController();

  const read = async <Value>(key: string) => (await level.get(key)) as Value | undefined;
  const getPlan = (id: string) => read<LedgerPlan>(toPlanKey(id));

  let last: Promise<unknown> = Promise.resolve();
  let failed: KeeplightError | undefined;

  /**
   * Changes the ledger: runs `decide` on what it has, and makes what that returns, all or nothing; it survives a power cut. One
   * change after the other, and none after one that failed: behind a record that a full disk has cut, LevelDB appends others,
   * reports success, and has lost them when it is opened again.
   *
   * @throws `CANNOT_WRITE`
   */
  function change<T>(decide: () => Promise<{ writes?: Write[]; result: T }>): Promise<T> {
    const changed = last.then(async () => {
      const { writes = [], result } = await decide();
      if (writes.length === 0) return result;
      if (failed) throw failed;
      await level.batch(writes, { sync: true }).catch((error: unknown) => {
        failed = levelFailed(place, error);
        throw failed;
      });
      return result;
    });
    last = changed.catch(() => undefined);
    return changed;
  }

  /** Changes the value of a key, unless `update` returns `undefined`; returns what it had. */
  const changeValue = <Value>(key: string, update: (value: Value | undefined) => Value | undefined) =>
    change(async () => {
      const result = await read<Value>(key);
      const value = update(result);
      return { writes: value === undefined ? [] : [put(key, value)], result };
    });

  return {
    place,
    getPlan,
    async addPlan({ folder: _, bytesToSend: __, ...plan }) {
      const added: LedgerPlan = { ...plan, state: "running", loaded: 0 };
      return (await changeValue<LedgerPlan>(toPlanKey(plan.id), (known) => (known ? undefined : added))) ?? added;
    },
    async setState(id, state) {
      // A plan that is cancelled stays so.
      const update = (plan?: LedgerPlan) => (plan && plan.state !== "cancelled" ? { ...plan, state } : undefined);
      await changeValue(toPlanKey(id), update);
    },
    addBatch: (id, batch, files) =>
      change(async () => {
        const plan = await getPlan(id);
        if (!plan || batch < plan.loaded) return { result: undefined };
        const rows = put(toRowsKey(id, batch), files.map(toRow));
        const loaded = put(toPlanKey(id), { ...plan, loaded: batch + 1 });
        return { writes: [rows, put(toOpenKey(id, batch), true), loaded], result: undefined };
      }),
    async own(id, batch) {
      const key = toRowsKey(id, batch);
      if (owned.has(key)) return undefined;
      owned.add(key);
      return { lost: never.signal, release: async () => void owned.delete(key) };
    },
    read: async (id, batch) => (await read<LedgerRow[]>(toRowsKey(id, batch))) ?? [],
    change: (id, batch, changes) =>
      change(async () => {
        const plan = await getPlan(id);
        const result = applyChanges((await read<LedgerRow[]>(toRowsKey(id, batch))) ?? [], changes);
        if (!result || !plan) return { result: undefined };
        const key = toOpenKey(id, batch);
        const isOpen = result.some((row) => !isDone(row, plan.encrypted));
        const writes = [put(toRowsKey(id, batch), result), isOpen ? put(key, true) : remove(key)];
        if (!result.some(({ status }) => status === "sent")) writes.push(remove(toSentKey(id, batch)));
        return { writes, result };
      }),
    setSent: (id, batch, sent) =>
      change(async () => ({ writes: [put(toSentKey(id, batch), sent)], result: undefined })),
    getSent: (id, batch) => read<SentFolder>(toSentKey(id, batch)),
    async listOpen(id, after, limit) {
      const keys = await level.keys({ gt: toOpenKey(id, after), lt: toOpenKey(id, MAX_BATCH), limit }).all();
      return keys.map((key) => Number(key.slice(key.lastIndexOf(" ") + 1)));
    },
    async count(id) {
      const counts: StatusCount[] = [];
      // All keys that start with this and a space.
      const range = { gt: `rows ${id} `, lt: `rows ${id}!` };
      for await (const rows of level.values(range)) countRows(counts, rows as LedgerRow[]);
      return counts;
    },
    openJournalStore: () => journalStore({ folder: `${place}-journal` }),
    startPayment: async (id, payment) =>
      (await changeValue<LedgerPayment>(toPaymentKey(id), (known) => (known ? undefined : payment))) ?? payment,
    async finishPayment(id, hash) {
      const update = (known?: LedgerPayment) => (known && known.hash === undefined ? { ...known, hash } : undefined);
      await changeValue(toPaymentKey(id), update);
    },
    close: () => level.close(),
  };
}

const put = (key: string, value: unknown): Write => ({ type: "put", key, value });
const remove = (key: string): Write => ({ type: "del", key });

/** Batches are numbered in as many digits, so that their keys are in their order. */
const DIGITS = 9;
const MAX_BATCH = 10 ** DIGITS - 1;

const formatBatchNumber = (batch: number) => String(batch).padStart(DIGITS, "0");
const toPlanKey = (id: string) => `plan ${id}`;
const toPaymentKey = (id: string) => `payment ${id}`;
const toRowsKey = (id: string, batch: number) => `rows ${id} ${formatBatchNumber(batch)}`;
const toSentKey = (id: string, batch: number) => `sent ${id} ${formatBatchNumber(batch)}`;
const toOpenKey = (id: string, batch: number) => `open ${id} ${batch < 0 ? "" : formatBatchNumber(batch)}`;

/** What LevelDB says of errors of the system, whose codes it does not report. */
const SYSTEM_ERRORS: readonly [text: string, code: string][] = [
  ["No space left on device", "ENOSPC"],
  ["Disk quota exceeded", "EDQUOT"],
  ["File too large", "EFBIG"],
  ["Read-only file system", "EROFS"],
  ["Permission denied", "EACCES"],
  ["Too many open files", "EMFILE"],
  ["Input/output error", "EIO"],
];

/** What is written after a write that failed may be lost, although LevelDB reports success. */
function levelFailed(folder: string, error: unknown): KeeplightError {
  const { message, details, cause } = cannotWrite(folder, toSystemError(error));
  const advice = "close the ledger and open it again, once that is mended";
  return new KeeplightError("CANNOT_WRITE", `${message}: ${advice}`, { details, cause });
}

/** Returns the error of LevelDB, or that of the system if it is known. */
function toSystemError(error: unknown): unknown {
  const { cause = error } = error as { cause?: unknown };
  const message = cause instanceof Error ? cause.message : "";
  const code = SYSTEM_ERRORS.find(([text]) => message.includes(text))?.[1];
  return code === undefined ? cause : Object.assign(new Error(message), { code });
}
