import { type ErrorCode, isKeeplightError } from "keeplight";
import { isDatabaseOutage, isOfDatabase } from "../ledger/database.ts";
import type { FileProblem } from "../ledger/ledger.ts";

/** Errors of one file, which its `details.name` names. */
const OF_A_FILE = new Set<ErrorCode>([
  "SOURCE_CHANGED",
  "SOURCE_UNREADABLE",
  "INVALID_SOURCE",
  "FILE_TOO_LARGE",
  "DUPLICATE_NAME",
]);

/** Statuses by which a service refuses what was sent by any caller. */
const REFUSED = new Set([400, 409, 413, 415, 422]);

/** Errors of this process or its machine, which others of the same plan may not have. */
const OF_THIS_PROCESS = new Set<ErrorCode>([
  "CANNOT_WRITE",
  "INVALID_OPTION",
  "JOURNAL_BUSY",
  "JOURNAL_CLOSED",
  "JOURNAL_KEY_EXPOSED",
  "JOURNAL_KEY_MISSING",
  "JOURNAL_LOCKED",
  "UNSUPPORTED",
]);

/** Errors that every other batch would end in, too, until somebody does something about it. */
const OF_THE_RUN = new Set<ErrorCode>([
  ...OF_THIS_PROCESS,
  "ABORTED",
  "INVALID_ADDRESS",
  "INVALID_SIGNATURE",
  "MISSING_API_KEY",
  "MISSING_OWNER",
  "NOT_A_JWT",
  "NO_ROOM",
  "SIGNATURE_REJECTED",
]);
const NO_ACCOUNT = new Set([401, 402, 403]);

/** Returns the name of the file that an error is about, if it is about one. */
export function getFileName(error: unknown): string | undefined {
  if (!isKeeplightError(error) || !OF_A_FILE.has(error.code)) return undefined;
  const { name } = error.details as { name?: unknown };
  return typeof name === "string" ? name : undefined;
}

/** Whether a service refuses the files of a request: fewer of them may be accepted. */
export function isRefusal(error: unknown): boolean {
  return isKeeplightError(error, "HTTP_STATUS") && REFUSED.has(error.details.status);
}

/** Errors that end the run whatever their codes. */
const runErrors = new WeakSet<object>();

/** Marks an error as one that every other batch would end in, such as a refusal of every file of a batch. */
export function toRunError<Failure>(error: Failure): Failure {
  if (isKeeplightError(error) && !isDatabaseOutage(error)) runErrors.add(error);
  return error;
}

/** Whether all batches would fail in this process, but not necessarily in others. */
export function isOfProcess(error: unknown): boolean {
  if (!isKeeplightError(error)) return false;
  return OF_THIS_PROCESS.has(error.code) || (runErrors.has(error) && OF_A_FILE.has(error.code));
}

/** Whether all other batches would fail as well. What is no error of the kit is a defect. */
export function endsRun(error: unknown): boolean {
  if (!isKeeplightError(error) || runErrors.has(error)) return true;
  if (isOfDatabase(error)) return !isDatabaseOutage(error);
  return OF_THE_RUN.has(error.code) || (isKeeplightError(error, "HTTP_STATUS") && NO_ACCOUNT.has(error.details.status));
}

/**
 * Whether a node has stored, and may have billed, something else than it was sent, or says so: what is sent to it again may be
 * billed again.
 */
export function isMismatch(error: unknown): boolean {
  return isKeeplightError(error, "CID_MISMATCH");
}

export function toProblem(error: unknown): FileProblem {
  if (isKeeplightError(error)) return { code: error.code, message: error.message };
  return { code: "UNKNOWN", message: error instanceof Error ? error.message : String(error) };
}
