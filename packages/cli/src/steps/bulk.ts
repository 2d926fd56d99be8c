import { join } from "node:path";
import { env } from "node:process";
import type { BulkLedger, BulkPlan, BulkStatus, RunStatus, SkippedPaths } from "@keeplight/bulk";
import type { JournalUnlock } from "keeplight";
import { describeFailure, UsageError } from "../frame/failure.ts";
import type { Invocation } from "../frame/invocation.ts";
import { clean, formatBytes, formatDuration } from "../output/format.ts";
import { type Facts, formatFacts } from "../output/table.ts";
import { findIdentity } from "./inputs.ts";

export type Bulk = typeof import("@keeplight/bulk");

export const loadBulk = (): Promise<Bulk> => import("@keeplight/bulk");

/**
 * Opens a plan with its ledger, and closes the ledger at the end.
 *
 * @param otherwise - used instead if the ledger cannot be opened, with the error of that. Default none: the error
 */
export async function withPlan<T>(
  { argument, option }: Invocation,
  work: (plan: BulkPlan, ledger: BulkLedger, bulk: Bulk) => Promise<T>,
  otherwise?: (plan: BulkPlan, place: string, error: unknown) => Promise<T>,
): Promise<T> {
  const bulk = await loadBulk();
  const plan = await bulk.readBulkPlan(argument("plan"));
  const place = option("ledger") ?? env["KEEPLIGHT_BULK_LEDGER"] ?? join(plan.folder, "ledger");
  let ledger: BulkLedger;
  try {
    ledger = await bulk.openBulkLedger(place);
  } catch (failure) {
    const { cause } = failure as { cause?: { code?: unknown } };
    // Another process uses a ledger in a folder.
    const error = cause?.code === "LEVEL_LOCKED" ? ledgerInUse(place) : failure;
    if (!otherwise) throw error;
    return otherwise(plan, place, error);
  }
  try {
    return await work(plan, ledger, bulk);
  } finally {
    await ledger.close();
  }
}

/** @param hint - what can be done about it */
export function ledgerInUse(place: string, hint = "keeplight bulk status shows how far the plan is."): UsageError {
  const more = `${hint} A ledger in PostgreSQL can be used meanwhile: --ledger postgres://…`;
  return new UsageError(`Another process uses the ledger ${place}`, "LEDGER_IN_USE", more);
}

/** Options of the uploads of plans: of the account and the network. */
export async function getUploadOptions(
  { account, call, keyCall, option }: Invocation,
  plan: Pick<BulkPlan, "encrypted">,
) {
  const { signal: _, ...network } = plan.encrypted ? keyCall : call;
  const storage = option("storage");
  return { ...network, storage, ...(plan.encrypted ? await account.owner() : { apiKey: await account.apiKey() }) };
}

/** Returns what opens the journal with the keys of encrypted files, unless this machine's key does. */
export async function getUnlock(invocation: Invocation): Promise<JournalUnlock | undefined> {
  const identity = await findIdentity(invocation);
  return identity === undefined ? undefined : { identity };
}

/** Prints how far a plan is, or how far a run in another process has written that it is. */
export function printStatus({ output }: Invocation, status: BulkStatus | RunStatus, leftOut?: SkippedPaths): void {
  const { id, name, state, files, bytes, counts, setAside, filesDone, bytesDone, skipped } = status;
  const run = isWritten(status) ? status : undefined;
  const { writtenAt, filesPerSecond, bytesPerSecond } = run ?? {};
  const facts: Facts = [
    ["Plan", `${name} (${id})`],
    ["State", state === "running" && counts.found === files ? "nothing sent yet" : state],
    ["Done", `${filesDone} of ${files} files, ${formatBytes(bytesDone)} of ${formatBytes(bytes)}`],
    ["Set aside", String(setAside)],
    skipped > 0 && ["Left out", describeLeftOut(skipped, leftOut)],
    run && ["Rate", `${filesPerSecond} files and ${formatBytes(bytesPerSecond)} a second`],
    run && ["Written", `${formatAge(run)} ago`],
  ];
  if (setAside > 0) output.warn("Some files are set aside: keeplight bulk status --set-aside lists why");
  const plan = { id, name, state, files, bytes, counts, setAside, filesDone, bytesDone, skipped };
  const rest = { writtenAt, filesPerSecond, bytesPerSecond, leftOut: leftOut?.first };
  output.result({ ...plan, ...rest }, formatFacts(facts), String(filesDone));
}

/** Whether a run has written how far its plan is. */
export function isWritten(status: BulkStatus | RunStatus): status is RunStatus {
  return "writtenAt" in status;
}

function describeLeftOut(count: number, { first }: SkippedPaths = { count, first: [] }): string {
  const names = first.slice(0, SHOWN_LEFT_OUT).map(({ path, code }) => `${clean(path)} (${clean(code)})`);
  if (names.length === 0) return String(count);
  return `${count}: ${names.join(", ")}${count > names.length ? ", …" : ""}`;
}

/** How many of those that a plan leaves out are named to people. */
const SHOWN_LEFT_OUT = 5;

/** Formats how long ago a run has written its status: `0:03`. */
export function formatAge({ writtenAt }: RunStatus): string {
  return formatDuration(Math.max(0, (Date.now() - writtenAt) / 1_000));
}

/** Returns the URL of what machines share; it may have a password, which other users see on the command line. */
export function requireUrl({ option }: Invocation, name: "connection" | "ledger", what: string): string {
  const variable = `KEEPLIGHT_BULK_${name.toUpperCase()}`;
  const url = option(name) ?? env[variable];
  if (!url) throw new UsageError(`Which ${what}? Add --${name}, or set ${variable}`);
  return url;
}

/** An error that lasts is shown again after this time, in milliseconds. */
const SHOW_AGAIN_MS = 600_000;

/** Different errors of which it is known when they were shown. */
const MAX_KNOWN = 1_000;

/** Creates what shows errors of requests that are tried again, so that nobody waits without knowing what for. */
export async function createErrorDisplay({ output, load }: Invocation) {
  const kit = await load();
  const shownAt = new Map<string, number>();
  let doneBefore = 0;
  let isFailing = false;
  return {
    /** Shows an error: at once, and the same again after ten minutes. */
    show(error: unknown): void {
      const { message: problem, details } = describeFailure(error, kit);
      const { url } = details;
      const message = typeof url !== "string" || problem.includes(url) ? problem : `${problem}: ${url}`;
      const now = performance.now();
      if (now - (shownAt.get(message) ?? Number.NEGATIVE_INFINITY) < SHOW_AGAIN_MS) return;
      if (shownAt.size >= MAX_KNOWN) shownAt.clear();
      shownAt.set(message, now);
      isFailing = true;
      output.warn(message);
    },
    /** Receives how much is done: more than before means that what failed works again. */
    setDone(done: number): void {
      if (isFailing && done > doneBefore) {
        isFailing = false;
        output.note("Files are being stored again.");
      }
      doneBefore = done;
    },
  };
}
