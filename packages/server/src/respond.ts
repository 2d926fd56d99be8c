import { isKeeplightError, type KeeplightError, type UploadedFiles } from "keeplight";
import { refusalStatus } from "keeplight/parts";

/** Responds with what was stored. */
export function respondStored(stored: UploadedFiles): Response {
  return respond(
    200,
    stored.map(({ Name, Hash, Size }) => ({ Name, Hash, Size })),
  );
}

/** Facts that a page may learn: none of the network behind the endpoint, such as what it says of the account. */
const publicDetails = new Set(
  "reason,limit,types,name,first,size,option,timeoutMs,idleMs,limitBytes,retryAfterSeconds,bodySent,stored".split(","),
);

/** Responds with an error, as far as it concerns the client. */
export function respondError(error: unknown): Response {
  if (!isKeeplightError(error) || !isRefusalCode(error.code)) return respondUnexpected();
  const status = getStatus(error);
  const { code } = error;
  const isPublic = (name: string) => publicDetails.has(name) && !(code === "NETWORK" && name === "reason");
  const details = Object.fromEntries(Object.entries(error.details).filter(([name]) => isPublic(name)));
  // The page takes the endpoint for the service: another status would say that of its own request.
  const message = code === "HTTP_STATUS" ? `Request failed with status code ${status}` : error.message;
  const isOfNetwork = code === "HTTP_STATUS" || code === "INVALID_JSON";
  const body = { code, message, details: { ...details, ...(isOfNetwork ? { status } : {}) } };
  const retryAfter = details["retryAfterSeconds"];
  return respond(status, { error: body }, retryAfter === undefined ? {} : { "Retry-After": String(retryAfter) });
}

function getStatus({ code, details }: KeeplightError): number {
  if (details["reason"] === "count") return 413;
  if (details["reason"] === "type") return 415;
  return isRefusalCode(code) ? refusalStatus[code] : 500;
}

/** Responds to a failure of this side, without a word of it. */
function respondUnexpected(): Response {
  return respond(500, { error: { message: "Internal Server Error" } });
}

/** Responds to anything but a POST. */
export function respondMethod(): Response {
  return respond(405, { error: { message: "Method Not Allowed" } }, { Allow: "POST" });
}

function respond(status: number, body: unknown, headers: Record<string, string> = {}): Response {
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
