import { dirname, join, resolve } from "node:path";
import { invalidOption } from "keeplight/parts";
import { readVersionedJson, removeLeftOver } from "keeplight/parts/node";
import { writeJson } from "../json-files.ts";
import { isDatabase } from "../ledger/database.ts";
import { type FileStatus, isDone, type LedgerPlan, type PlanState, type StatusCount } from "../ledger/ledger.ts";
import type { BulkPlan } from "../plan/plan.ts";

/** How far a plan is. */
export interface BulkStatus extends Pick<BulkPlan, "id" | "name" | "files" | "bytes"> {
  /** Whether it is worked on. `done`: every file is done or set aside, and the plan is neither paused nor cancelled. */
  state: PlanState | "done";
  /** How many files have each status and are not set aside. */
  counts: Record<FileStatus, number>;
  /** How many files and folders the plan leaves out, because they could not be read. */
  skipped: number;
  /** How many files are set aside because of an error, until they are retried. */
  setAside: number;
  /** How many files are stored, and if the plan is encrypted, have their keys on the key nodes. */
  filesDone: number;
  /** Size of those files, in bytes. */
  bytesDone: number;
}

export function toStatus(plan: LedgerPlan, found: readonly StatusCount[]): BulkStatus {
  const { id, name, state, files, bytes, encrypted, skipped: { count: skipped } = { count: 0 } } = plan;
  const counts: BulkStatus["counts"] = { found: 0, sent: 0, stored: 0, saved: 0, verified: 0 };
  const done = { setAside: 0, filesDone: 0, bytesDone: 0 };
  const status: BulkStatus = { id, name, state, files, bytes, counts, skipped, ...done };
  for (const count of found) {
    if (count.isSetAside) {
      status.setAside += count.files;
      continue;
    }
    counts[count.status] += count.files;
    if (!isDone({ status: count.status }, encrypted)) continue;
    status.filesDone += count.files;
    status.bytesDone += count.bytes;
  }
  // Batches that the ledger does not have yet.
  counts.found += files - found.reduce((sum, count) => sum + count.files, 0);
  const isAllDone = status.filesDone + status.setAside === files;
  return isAllDone && state === "running" ? { ...status, state: "done" } : status;
}

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

/**
 * Starts to write how far a plan is, for other processes; returns what ends that, and writes it once more. Does nothing for a
 * database. A failure is not reported: the status is written again soon, and what counts is in the ledger.
 */
export function startStatusWriter(ledgerPlace: string, id: string, read: () => Promise<BulkStatus>) {
  if (isDatabase(ledgerPlace)) return async () => undefined;
  const path = toPath(ledgerPlace, id);
  const measure = createMeter();
  let writing: Promise<void> | undefined;

  async function write(): Promise<void> {
    const status = await read();
    const written: RunStatus = { ...status, writtenAt: Date.now(), ...measure(status) };
    await writeJson(path, { version: VERSION, ...written }, { durable: false });
  }

  function start(): void {
    const end = () => {
      writing = undefined;
    };
    writing ??= write().then(end, end);
  }

  start();
  // What a process has left that was killed meanwhile.
  const tidied = removeLeftOver(dirname(path));
  const timer = setInterval(start, WRITE_MS);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await Promise.all([writing, tidied]);
    await write().catch(() => undefined);
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

/**
 * Formats the status of plans for Prometheus (text format 0.0.4), for an endpoint of your own.
 *
 * @example
 * const text = formatBulkMetrics([await getBulkStatus(plan.id, ledger)]);
 */
export function formatBulkMetrics(plans: readonly BulkStatus[]): string {
  const lines: string[] = [];

  function add(name: string, help: string, samples: (status: BulkStatus) => [labels: string, value: number][]): void {
    lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} gauge`);
    for (const status of plans) {
      const plan = `plan="${escapeLabel(status.id)}",name="${escapeLabel(status.name)}"`;
      for (const [labels, value] of samples(status)) lines.push(`${name}{${plan}${labels}} ${value}`);
    }
  }

  add("keeplight_bulk_files", "Files of a plan, by status.", ({ counts, setAside }) => [
    ...Object.entries(counts).map(([status, files]): [string, number] => [`,status="${status}"`, files]),
    [',status="set_aside"', setAside],
  ]);
  add("keeplight_bulk_files_done", "Files of a plan that are done.", ({ filesDone }) => [["", filesDone]]);
  add("keeplight_bulk_bytes", "Bytes of a plan.", ({ bytes }) => [["", bytes]]);
  add("keeplight_bulk_bytes_done", "Bytes of files that are done.", ({ bytesDone }) => [["", bytesDone]]);
  add("keeplight_bulk_running", "1 while a plan is worked on.", ({ state }) => [["", state === "running" ? 1 : 0]]);
  return `${lines.join("\n")}\n`;
}

function escapeLabel(value: string): string {
  return value.replace(/\\/g, "\\\\").replace(/"/g, '\\"').replace(/\n/g, "\\n");
}
