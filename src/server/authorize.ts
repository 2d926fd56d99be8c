import { invalidOption } from "../errors/input.ts";
import { accessRefused } from "../errors/upload-endpoint.ts";
import { isOptions } from "../validation/check-options.ts";
import { type ResolvedLimits, resolveLimits, type UploadLimits } from "./limits.ts";

/**
 * What `authorize` decides: `true` or limits of one's own, which replace those of the handler, let the upload in. `false`
 * refuses it with 403, a response as it is, for example 401.
 */
export type Authorization = boolean | Response | UploadLimits;

/**
 * Decides whether a request may upload, and how much.
 *
 * @throws `UPLOAD_REFUSED`; `INVALID_OPTION` for a decision that is none, or if `authorize` took the body; what it throws
 */
export async function decideAccess(
  request: Request,
  authorize: (request: Request) => Authorization | Promise<Authorization>,
  limits: ResolvedLimits,
): Promise<ResolvedLimits | Response> {
  const decision: unknown = await authorize(request);
  if (decision instanceof Response) return decision;
  // Forgotten returns refuse, too.
  if (decision === false || decision === undefined || decision === null) throw accessRefused();
  if (request.bodyUsed || request.body?.locked)
    throw invalidOption("authorize", "a function that leaves the body unread");
  if (decision === true) return limits;
  if (isOptions(decision)) return resolveLimits(decision, limits);
  throw invalidOption("authorize", "a function that returns true, false, limits or a Response");
}
