import { isKeeplightError } from "keeplight";
import { refusalStatus } from "keeplight/parts";

/** Facts that a page may learn: none of the network behind the endpoint, such as what it says of the account. */
const publicDetails = new Set(
  "reason,limit,types,name,first,size,option,timeoutMs,idleMs,limitBytes,retryAfterSeconds,bodySent,stored".split(","),
);

const STATUS_BY_REASON = new Map<unknown, number>([
  ["count", 413],
  ["type", 415],
]);

/** The operating system's codes of a disk, or of a user's part of it, that is full. */
const NO_ROOM = ["ENOSPC", "EDQUOT"];

/** Whether what this server keeps could not be written for lack of room. */
export function isDiskFull(error: unknown): boolean {
  return isKeeplightError(error, "CANNOT_WRITE") && NO_ROOM.includes(error.details.code ?? "");
}

/** Responds with an error, as far as it concerns the client: to a failure of this side, without a word of it. */
export function respondError(error: unknown): Response {
  // Clients try again (RFC 4918, 11.5).
  if (isDiskFull(error)) return respondText(507, "The server has no room for the upload now");
  if (!isKeeplightError(error) || !isRefusalCode(error.code)) return respondText(500, "Internal Server Error");
  const { code } = error;
  const status = STATUS_BY_REASON.get(error.details["reason"]) ?? refusalStatus[code];
  const isPublic = (name: string) => publicDetails.has(name) && !(code === "NETWORK" && name === "reason");
  const details = Object.fromEntries(Object.entries(error.details).filter(([name]) => isPublic(name)));
  // The page takes the endpoint for the service: another status would say that of its own request.
  const message = code === "HTTP_STATUS" ? `Request failed with status code ${status}` : error.message;
  const isOfNetwork = code === "HTTP_STATUS" || code === "INVALID_JSON";
  const body = { code, message, details: { ...details, ...(isOfNetwork ? { status } : {}) } };
  const retryAfter = details["retryAfterSeconds"];
  return respondJson(status, { error: body }, retryAfter === undefined ? {} : { "Retry-After": String(retryAfter) });
}

export function respondText(status: number, message: string, headers?: Record<string, string>): Response {
  return respondJson(status, { error: { message } }, headers);
}

export function respondJson(status: number, body: unknown, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: {
      "Content-Type": "application/json",
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
      ...headers,
    },
  });
}

/** Whether clients learn of an error with this code. */
function isRefusalCode(code: string): code is keyof typeof refusalStatus {
  return Object.hasOwn(refusalStatus, code);
}
