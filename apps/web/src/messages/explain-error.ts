import { isKeeplightError } from "keeplight";
import type { Explanation } from "./en/errors.ts";
import type { Messages } from "./en.ts";
import { getMessages } from "./language.ts";

/** An error of the app itself, explained by the catalogue. */
export class AppError extends Error {
  readonly explain: (messages: Messages) => Explanation;

  constructor(explain: (messages: Messages) => Explanation) {
    super("The app refused this");
    this.explain = explain;
  }
}

/** Explains any thrown value, in the reader's language where the app knows the error. */
export function explainError(error: unknown): Explanation {
  const { errors } = getMessages();
  if (error instanceof AppError) return error.explain(getMessages());
  if (!isKeeplightError(error)) {
    const rejected = typeof error === "object" && error !== null && "code" in error && error.code === 4001;
    if (rejected) return errors.walletRejected;
    return { title: errors.unknown, advice: error instanceof Error ? error.message : String(error) };
  }
  if (isRefusal(error)) return errors.noAccess;
  if (error.code === "NETWORK" && !navigator.onLine) return errors.offline;
  if (error.code === "DRIVE_NOT_OPEN") return toExplanation(getMessages().drive);
  if (isNameRefused(error)) return errors.badName;
  if (error.code === "PATH_NOT_FOUND") return getMessages().folder.notThere;
  // Uploads name the file.
  if (error.code === "CID_MISMATCH")
    return error.details["name"] === undefined ? errors.wrongBytes : errors.wrongUpload;
  const { nodesDone, node } = error.details;
  if (Array.isArray(nodesDone) && error.code !== "SHARDS_NOT_SAVED") {
    const failed = typeof node === "number" ? node : undefined;
    return { title: errors.partlySaved, advice: errors.nodesUpdated(nodesDone.length, failed) };
  }
  const known = errors.byCode[error.code];
  if (known) return error.code === "INVALID_CONDITION" ? { ...known, advice: error.message } : known;
  const status = error.details["status"];
  if (status === 403 && /limit|quota/i.test(String(error.details["serverMessage"]))) return errors.overQuota;
  if (status === 401 || status === 403) return errors.sessionExpired;
  if (status === 404) return errors.notFound;
  if (status === 429) return errors.tooManyRequests;
  if (typeof status === "number" && status >= 500) {
    return { title: errors.serviceProblem, advice: errors.serviceStatus(status) };
  }
  return { title: errors.unknown, advice: error.message };
}

const toExplanation = ({ unavailable, unavailableHint }: Messages["drive"]): Explanation => ({
  title: unavailable,
  advice: unavailableHint,
});

/** Whether the drive refuses a name, so that trying again changes nothing. */
export function isNameRefused(error: unknown): boolean {
  return isKeeplightError(error, "INVALID_OPTION") && error.details.option === "name";
}

/** Whether the key nodes refuse a file to an account. */
export function isRefusal(error: unknown): boolean {
  return isKeeplightError(error, "NODE_REFUSED") && /denied|not authori[sz]ed|cannot decrypt/i.test(error.message);
}
