import { isKeeplightError } from "keeplight";

/** Whether an upload failed as the account has no room for it, or as its price has risen: it can be paid for by itself. */
export function lacksRoom(error: unknown): boolean {
  if (!isKeeplightError(error)) return false;
  const { code, details } = error;
  if (code === "NO_ROOM" || code === "PAYMENT_ABOVE_LIMIT") return details["payment"] === undefined;
  return details["status"] === 403 && /limit|quota/i.test(String(details["serverMessage"]));
}
