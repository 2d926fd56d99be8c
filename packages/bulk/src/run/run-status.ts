import { dirname, join, resolve } from "node:path";
import { invalidOption } from "keeplight/parts";
import { readVersionedJson, removeLeftOver, replaceFile } from "keeplight/parts/node";
import { isDatabase } from "../ledger/is-database.ts";
import type { BulkPlan } from "../plan/types.ts";
import type { BulkStatus } from "./status.ts";

/** How far a plan was when its run wrote this. */
export interface RunStatus extends BulkStatus {
  /** When that was, in milliseconds since 1970: some seconds ago while the plan is run. */
  writtenAt: number;
  /** How many files were done in a second, over the last minute of the run. */
  filesPerSecond: number;
  /** How many of their bytes were done in a second. */
  bytesPerSecond: number;
}

const VERSION = 1;

/** How often the status is written, in milliseconds. */
const WRITE_MS = 2_000;

/** Over how long the rates are computed, in milliseconds. */
const RATE_MS = 60_000;

/**
 * Reads how far a plan is that another process runs with a ledger in a folder, which only that process can open. `runBulk` writes
 * it beside the ledger every few seconds; what the last run has written stays there. `getBulkStatus` is exact, once the ledger can
 * be opened.
 *
 * @param ledgerPlace - path of the ledger. Default the ledger in the folder of the plan
 * @returns `undefined` if no run of the plan has written it
 * @throws `INVALID_OPTION` for a database, whose ledger any process can open; `SOURCE_UNREADABLE`
 *
 * @example
 * const status = await readRunStatus(await readBulkPlan("/data/photos.plan"));
 */
export async function readRunStatus(
  { folder, id }: BulkPlan,
  ledgerPlace: string = join(folder, "ledger"),
): Promise<RunStatus | undefined> {
  if (typeof ledgerPlace !== "string" || ledgerPlace === "" || isDatabase(ledgerPlace)) {
    throw invalidOption("ledgerPlace", "the path of a ledger in a folder");
  }
  const path = toPath(resolve(ledgerPlace), id);
  return readVersionedJson<RunStatus>(path, VERSION, () =>
    invalidOption("ledgerPlace", `a ledger whose status can be read: ${path} is damaged, or of a later version`),
  );
}

/** Writes the status of a run now and then, until it is ended. */
export interface StatusWriter {
  /** Writes it once more. Never fails. */
  end(): Promise<void>;
}

/**
 * Starts to write how far a plan is, for other processes. Does nothing for a database. A failure is not reported: the status is
 * written again soon, and what counts is in the ledger.
 *
 * @param ledgerPlace - of the ledger, which only this process uses
 */
export function startStatusWriter(ledgerPlace: string, id: string, read: () => Promise<BulkStatus>): StatusWriter {
  if (isDatabase(ledgerPlace)) return { end: async () => undefined };
  const path = toPath(ledgerPlace, id);
  const measure = createMeter();
  let writing: Promise<void> | undefined;

  async function write(): Promise<void> {
    const status = await read();
    const written: RunStatus = { ...status, writtenAt: Date.now(), ...measure(status) };
    const text = `${JSON.stringify({ version: VERSION, ...written })}\n`;
    await replaceFile(path, new TextEncoder().encode(text), { durable: false });
  }

  function start(): void {
    writing ??= write()
      .catch(() => undefined)
      .finally(() => {
        writing = undefined;
      });
  }

  start();
  // What a process has left that was killed meanwhile.
  const tidied = removeLeftOver(dirname(path));
  const timer = setInterval(start, WRITE_MS);
  timer.unref();
  return {
    async end() {
      clearInterval(timer);
      await Promise.all([writing, tidied]);
      await write().catch(() => undefined);
    },
  };
}

const toPath = (ledgerPlace: string, id: string) => `${ledgerPlace}-status-${id}.json`;

/** Creates what computes the rates of the last minute. */
function createMeter() {
  const samples: { at: number; files: number; bytes: number }[] = [];
  return ({ filesDone: files, bytesDone: bytes }: BulkStatus) => {
    const now = { at: performance.now(), files, bytes };
    samples.push(now);
    while ((samples[1]?.at ?? now.at) < now.at - RATE_MS) samples.shift();
    const first = samples[0] ?? now;
    const seconds = (now.at - first.at) / 1_000;
    const toRate = (done: number) => (seconds === 0 ? 0 : Math.round((1_000 * done) / seconds) / 1_000);
    return { filesPerSecond: toRate(files - first.files), bytesPerSecond: toRate(bytes - first.bytes) };
  };
}
