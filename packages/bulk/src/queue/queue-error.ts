import { isKeeplightError, KeeplightError } from "keeplight";
import { readPlace } from "../ledger/connection-url.ts";

/** An error of the same kind is reported again after this time, in milliseconds. */
const REPORT_AGAIN_MS = 60_000;

/** @param url - of the queue; its credentials are left out */
export function cannotUseQueue(url: string, error: unknown): KeeplightError<"NETWORK"> {
  const place = readPlace("connection", url);
  const cause = toCause(error);
  return new KeeplightError("NETWORK", `The queue ${place} could not be used (${cause.code})`, {
    details: { url: place, method: "QUEUE" },
    cause,
  });
}

/** Reports what the queue or the connection refuses, such as to store more than its memory holds. */
export async function reportQueueErrors<T>(url: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isKeeplightError(error) ? error : cannotUseQueue(url, error);
  }
}

/**
 * Creates what reports errors of the connections to a queue: the first of each kind at once, and one a minute while it lasts. The
 * connections try again several times a second.
 */
export function createQueueReporter(url: string, report: (error: unknown) => void): (error: unknown) => void {
  const reportedAt = new Map<string, number>();
  return (error) => {
    const { code } = toCause(error);
    const now = performance.now();
    if (now - (reportedAt.get(code) ?? Number.NEGATIVE_INFINITY) < REPORT_AGAIN_MS) return;
    reportedAt.set(code, now);
    report(cannotUseQueue(url, error));
  };
}

/**
 * Copies what an error of a driver says, with its code. The error itself has the command that failed, and with it the
 * password. The text of a Redis reply may repeat the command: only its first word is kept, such as `WRONGPASS` or `OOM`.
 */
function toCause(error: unknown): Error & { code: string } {
  const { name, message = "", code = "UNKNOWN" } = error as { name?: string; message?: string; code?: string };
  if (name !== "ReplyError") return Object.assign(new Error(message), { code });
  const [reply = "UNKNOWN"] = /^[A-Z]+/.exec(message) ?? [];
  return Object.assign(new Error(`The queue replied ${reply}`), { code: reply });
}
