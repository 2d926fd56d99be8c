import { join } from "node:path";
import { env } from "node:process";
import type { BulkLedger, BulkPlan, BulkStatus, RunStatus, SkippedPaths } from "@keeplight/bulk";
import type { JournalUnlock } from "keeplight";
import { describeFailure, type Package, UsageError } from "../frame/failure.ts";
import type { Invocation } from "../frame/invocation.ts";
import { clean, formatBytes, formatDuration } from "../output/format.ts";
import { formatFacts } from "../output/table.ts";
import { readIdentity } from "./inputs.ts";

/** Loads the functions for datasets. */
export const loadBulk = () => import("@keeplight/bulk");

/**
 * Opens a plan with its ledger, and closes the ledger at the end.
 *
 * @param otherwise - used instead if the ledger cannot be opened, with the error of that. Default none: the error
 */
export async function withPlan<T>(
  { argument, option }: Invocation,
  work: (plan: BulkPlan, ledger: BulkLedger) => Promise<T>,
  otherwise?: (plan: BulkPlan, place: string, error: unknown) => Promise<T>,
): Promise<T> {
  const { openBulkLedger, readBulkPlan } = await loadBulk();
  const plan = await readBulkPlan(argument("plan"));
  const place = option("ledger") ?? env["KEEPLIGHT_BULK_LEDGER"] ?? join(plan.folder, "ledger");
  let ledger: BulkLedger;
  try {
    ledger = await openBulkLedger(place);
  } catch (cause) {
    const error = isLocked(cause) ? ledgerInUse(place) : cause;
    if (!otherwise) throw error;
    return otherwise(plan, place, error);
  }
  try {
    return await work(plan, ledger);
  } finally {
    await ledger.close();
  }
}

/** Whether a ledger in a folder is used by another process. */
function isLocked(error: unknown): boolean {
  const { cause } = error as { cause?: { code?: unknown } };
  return cause?.code === "LEVEL_LOCKED";
}

/** @param hint - what can be done about it */
export function ledgerInUse(place: string, hint = "keeplight bulk status shows how far the plan is."): UsageError {
  return new UsageError(`Another process uses the ledger ${place}`, {
    code: "LEDGER_IN_USE",
    hint: `${hint} A ledger in PostgreSQL can be used meanwhile: --ledger postgres://…`,
  });
}

/** Options of the uploads of plans: of the account and the network. */
export async function getUploadOptions({ account, call, keyCall }: Invocation, plan: Pick<BulkPlan, "encrypted">) {
  const { signal: _, ...network } = plan.encrypted ? keyCall : call;
  return { ...network, ...(plan.encrypted ? await account.owner() : { apiKey: await account.apiKey() }) };
}

/** Returns what opens the journal with the keys of encrypted files, unless this machine's key does. */
export async function getUnlock({ option, account }: Invocation): Promise<{ unlock?: JournalUnlock }> {
  const file = option("identity");
  const identity = file === undefined ? account.environmentIdentity : await readIdentity(file);
  return identity === undefined ? {} : { unlock: { identity } };
}

/**
 * Prints how far a plan is.
 *
 * @param more - what a run in another process has written, and what the plan leaves out. Default neither
 */
export function printStatus(
  { output }: Invocation,
  status: BulkStatus,
  { run, leftOut }: { run?: RunStatus | undefined; leftOut?: SkippedPaths | undefined } = {},
): void {
  const { id, name, state, files, bytes, counts, setAside, filesDone, bytesDone, skipped } = status;
  const facts: [string, string][] = [
    ["Plan", `${name} (${id})`],
    ["State", state === "running" && counts.found === files ? "nothing sent yet" : state],
    ["Done", `${filesDone} of ${files} files, ${formatBytes(bytesDone)} of ${formatBytes(bytes)}`],
    ["Set aside", String(setAside)],
    ...(skipped > 0 ? [["Left out", describeLeftOut(skipped, leftOut)] satisfies [string, string]] : []),
    ...(run ? describeRun(run) : []),
  ];
  if (setAside > 0) output.warn("Some files are set aside: keeplight bulk status --set-aside lists why");
  output.result(
    {
      ...{ id, name, state, files, bytes, counts, setAside, filesDone, bytesDone, skipped },
      ...(run ? pickRun(run) : {}),
      ...(leftOut ? { leftOut: leftOut.first } : {}),
    },
    { text: () => formatFacts(facts), quiet: String(filesDone) },
  );
}

function describeLeftOut(count: number, { first }: SkippedPaths = { count, first: [] }): string {
  const names = first.slice(0, SHOWN_LEFT_OUT).map(({ path, code }) => `${clean(path)} (${clean(code)})`);
  if (names.length === 0) return String(count);
  return `${count}: ${names.join(", ")}${count > names.length ? ", …" : ""}`;
}

/** How many of those that a plan leaves out are named to people. */
const SHOWN_LEFT_OUT = 5;

function pickRun({ writtenAt, filesPerSecond, bytesPerSecond }: RunStatus) {
  return { writtenAt, filesPerSecond, bytesPerSecond };
}

function describeRun(run: RunStatus): [string, string][] {
  return [
    ["Rate", `${run.filesPerSecond} files and ${formatBytes(run.bytesPerSecond)} a second`],
    ["Written", `${formatAge(run)} ago`],
  ];
}

/** Formats how long ago a run has written its status: `0:03`. */
export function formatAge({ writtenAt }: RunStatus): string {
  return formatDuration(Math.max(0, (Date.now() - writtenAt) / 1_000));
}

/** Shows how far a plan is while it runs. */
export function showProgress({ output }: Invocation, { name, bytes, bytesDone, filesDone, files }: BulkStatus): void {
  const fraction = bytes === 0 ? filesDone / files : bytesDone / bytes;
  output.progress(name, { phase: "uploading", loaded: bytesDone, total: bytes, fraction });
}

/** Reads a whole number of 1 or more that was typed. */
export function readCount({ option }: Invocation, name: string, flag: string): { [name: string]: number } {
  const typed = option(name);
  if (typed === undefined) return {};
  if (!/^[1-9]\d{0,8}$/.test(typed)) throw new UsageError(`${flag} takes a whole number of 1 or more`);
  return { [name]: Number(typed) };
}

/** Returns the URL of the queue; it may have a password, which other users see on the command line. */
export function getConnection({ option }: Invocation): string {
  const url = option("connection") ?? env["KEEPLIGHT_BULK_CONNECTION"];
  if (!url) throw new UsageError("Which queue? Add --connection, or set KEEPLIGHT_BULK_CONNECTION");
  return url;
}

/** Returns the URL of a ledger that machines share. */
export function requireLedger({ option }: Invocation): string {
  const url = option("ledger") ?? env["KEEPLIGHT_BULK_LEDGER"];
  if (!url) throw new UsageError("Which ledger? Add --ledger, or set KEEPLIGHT_BULK_LEDGER");
  return url;
}

/** An error that lasts is shown again after this time, in milliseconds. */
const SHOW_AGAIN_MS = 600_000;

/** Different errors of which it is known when they were shown. */
const MAX_KNOWN = 1_000;

/** Shows errors of work that continues. */
export interface ErrorDisplay {
  /** Shows an error: at once, and the same again after ten minutes. */
  show(error: unknown): void;
  /** Receives how much is done: more than before means that what failed works again. */
  setDone(done: number): void;
}

/** Creates what shows errors of requests that are tried again, so that nobody waits without knowing what for. */
export async function createErrorDisplay({ output, load }: Pick<Invocation, "output" | "load">): Promise<ErrorDisplay> {
  const kit = await load();
  const shownAt = new Map<string, number>();
  let doneBefore = 0;
  let isFailing = false;
  return {
    show(error) {
      const message = describe(error, kit);
      const now = performance.now();
      if (now - (shownAt.get(message) ?? Number.NEGATIVE_INFINITY) < SHOW_AGAIN_MS) return;
      if (shownAt.size >= MAX_KNOWN) shownAt.clear();
      shownAt.set(message, now);
      isFailing = true;
      output.warn(message);
    },
    setDone(done) {
      if (isFailing && done > doneBefore) {
        isFailing = false;
        output.note("Files are being stored again.");
      }
      doneBefore = done;
    },
  };
}

function describe(error: unknown, kit: Package): string {
  const { message, details } = describeFailure(error, kit);
  const { url } = details;
  return typeof url !== "string" || message.includes(url) ? message : `${message}: ${url}`;
}
