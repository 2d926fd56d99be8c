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
  type StatusCount,
  toRow,
} from "./ledger.ts";

/** Opens a ledger in a folder, which one process at a time can use. */
export async function openLevelLedger(folder: string): Promise<Ledger> {
  const { ClassicLevel } = await loadPackage("classic-level", () => import("classic-level"));
  await withWriteErrors(folder, () => mkdir(folder, { recursive: true, mode: 0o700 }));
  // LevelDB's files are readable by all, and name what an encrypted plan sends. It may be a folder of another user.
  await chmod(folder, 0o700).catch(() => undefined);
  const level = new ClassicLevel<string, string>(folder);
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

function createLevelLedger(level: ClassicLevel<string, string>, place: string): Ledger {
  const owned = new Set<string>();
  // Only this process uses the folder.
  const never = new AbortController();

  async function read<T>(key: string): Promise<T | undefined> {
    const text = await level.get(key);
    return text === undefined ? undefined : (JSON.parse(text) as T);
  }

  /** Runs work on what a key holds, one after the other. */
  const ends = new Map<string, Promise<unknown>>();
  async function exclusively<T>(key: string, work: () => Promise<T>): Promise<T> {
    const done = (ends.get(key) ?? Promise.resolve()).then(work);
    const end = done.catch(() => undefined);
    ends.set(key, end);
    void end.then(() => ends.get(key) === end && ends.delete(key));
    return done;
  }

  let failed: KeeplightError | undefined;

  /**
   * Writes entries, all or none; they survive a power cut. One write after the other, and none after one that failed: behind a
   * record that a full disk has cut, LevelDB appends others, reports success, and has lost them when it is opened again.
   *
   * @throws `CANNOT_WRITE`
   */
  async function write(...entries: { key: string; value: unknown }[]): Promise<void> {
    await exclusively("log", async () => {
      if (failed) throw failed;
      try {
        await level.batch(entries.map(toOperation), { sync: true });
      } catch (error) {
        failed = levelFailed(place, error);
        throw failed;
      }
    });
  }

  const getPlan = (id: string) => read<LedgerPlan>(toPlanKey(id));
  const isOpen = (rows: readonly LedgerRow[], { encrypted }: LedgerPlan) => rows.some((row) => !isDone(row, encrypted));

  return {
    place,
    getPlan,
    async addPlan({ folder: _, bytesToSend: __, ...plan }) {
      return exclusively(toPlanKey(plan.id), async () => {
        const existing = await getPlan(plan.id);
        if (existing) return existing;
        const added: LedgerPlan = { ...plan, state: "running", loaded: 0 };
        await write({ key: toPlanKey(plan.id), value: added });
        return added;
      });
    },
    async listPlans() {
      const plans: LedgerPlan[] = [];
      for await (const value of level.values(toKeyRange("plan"))) plans.push(JSON.parse(value));
      return plans;
    },
    async setState(id, state) {
      await exclusively(toPlanKey(id), async () => {
        const plan = await getPlan(id);
        // A plan that is cancelled stays so.
        if (plan && plan.state !== "cancelled") await write({ key: toPlanKey(id), value: { ...plan, state } });
      });
    },
    async addBatch(id, batch, files) {
      await exclusively(toPlanKey(id), async () => {
        const plan = await getPlan(id);
        if (!plan || batch < plan.loaded) return;
        await write(
          { key: toRowsKey(id, batch), value: files.map(toRow) },
          { key: toOpenKey(id, batch), value: true },
          { key: toPlanKey(id), value: { ...plan, loaded: batch + 1 } },
        );
      });
    },
    async own(id, batch) {
      const key = toRowsKey(id, batch);
      if (owned.has(key)) return undefined;
      owned.add(key);
      return { lost: never.signal, release: async () => void owned.delete(key) };
    },
    read: async (id, batch) => (await read<LedgerRow[]>(toRowsKey(id, batch))) ?? [],
    async change(id, batch, changes) {
      const key = toRowsKey(id, batch);
      return exclusively(key, async () => {
        const [plan, rows] = await Promise.all([getPlan(id), read<LedgerRow[]>(key)]);
        const changed = rows && applyChanges(rows, changes);
        if (!changed || !plan) return undefined;
        await write(
          { key, value: changed },
          { key: toOpenKey(id, batch), value: isOpen(changed, plan) ? true : undefined },
        );
        return changed;
      });
    },
    async listOpen(id, after, limit) {
      const keys = await level.keys({ gt: toOpenKey(id, after), lt: toOpenKey(id, MAX_BATCH), limit }).all();
      return keys.map((key) => Number(key.slice(key.lastIndexOf(" ") + 1)));
    },
    async count(id) {
      const counts: StatusCount[] = [];
      for await (const value of level.values(toKeyRange(`rows ${id}`))) countRows(counts, JSON.parse(value));
      return counts;
    },
    openJournalStore: () => journalStore({ folder: `${place}-journal` }),
    async startPayment(id, payment) {
      return exclusively(toPaymentKey(id), async () => {
        const existing = await read<LedgerPayment>(toPaymentKey(id));
        if (!existing) await write({ key: toPaymentKey(id), value: payment });
        return existing ?? payment;
      });
    },
    async finishPayment(id, hash) {
      await exclusively(toPaymentKey(id), async () => {
        const existing = await read<LedgerPayment>(toPaymentKey(id));
        if (existing && existing.hash === undefined)
          await write({ key: toPaymentKey(id), value: { ...existing, hash } });
      });
    },
    close: () => level.close(),
  };
}

/** An entry without a value is removed. */
function toOperation({ key, value }: { key: string; value: unknown }) {
  if (value === undefined) return { type: "del", key } as const;
  return { type: "put", key, value: JSON.stringify(value) } as const;
}

/** Batches are numbered in as many digits, so that their keys are in their order. */
const DIGITS = 9;
const MAX_BATCH = 10 ** DIGITS - 1;

const formatBatchNumber = (batch: number) => String(batch).padStart(DIGITS, "0");
const toPlanKey = (id: string) => `plan ${id}`;
const toPaymentKey = (id: string) => `payment ${id}`;
const toRowsKey = (id: string, batch: number) => `rows ${id} ${formatBatchNumber(batch)}`;
const toOpenKey = (id: string, batch: number) => `open ${id} ${batch < 0 ? "" : formatBatchNumber(batch)}`;

/** The range of all keys that start with a prefix and a space. */
const toKeyRange = (prefix: string) => ({ gt: `${prefix} `, lt: `${prefix}!` });

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
