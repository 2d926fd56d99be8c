import { invalidOption, isOptions, resolveChanges } from "keeplight/parts";
import { accessRefused } from "./errors.ts";
import type { OpenForm, UploadForm } from "./form.ts";
import { limitSchema, type ResolvedLimits, type UploadLimits } from "./limits.ts";

/**
 * What `authorize` decides: `true` or limits of one's own, which replace those of the handler, let the upload in. `false`
 * refuses it with 403, a response as it is, for example 401.
 */
export type Authorization = boolean | Response | UploadLimits;

/** Decides whether a request may upload, and how much. */
export type Authorize = (request: Request, form: UploadForm) => Authorization | Promise<Authorization>;

/**
 * Resolves what `authorize` decides.
 *
 * @throws `UPLOAD_REFUSED`, what reading the form's fields throws; `INVALID_OPTION` for a decision that is none; an error
 * whose cause is what `authorize` threw
 */
export async function decideAccess(
  authorize: Authorize,
  request: Request,
  form: OpenForm,
  limits: ResolvedLimits,
): Promise<ResolvedLimits | Response> {
  const decision: unknown = await callAuthorize(authorize, request, form);
  if (decision instanceof Response && isSendable(decision)) return decision;
  // Forgotten returns refuse, too.
  if (decision === false || decision === undefined || decision === null) throw accessRefused();
  if (decision === true) return limits;
  // A session without a user is often an empty object.
  if (isOptions(decision) && Object.values(decision).some((limit) => limit !== undefined)) {
    return { ...limits, ...resolveChanges(limitSchema, decision) };
  }
  throw invalidOption("authorize", "a function that returns true, false, limits or a Response");
}

/** Not that of `Response.error()`, nor one that was sent before. */
function isSendable({ status, bodyUsed, body }: Response): boolean {
  return status !== 0 && !bodyUsed && !body?.locked;
}

async function callAuthorize(authorize: Authorize, request: Request, form: OpenForm): Promise<unknown> {
  try {
    const { fields } = form;
    return await authorize(request, { fields });
  } catch (cause) {
    if (cause !== undefined && cause === form.failure()) throw cause;
    // Its own error could have a code that clients receive.
    throw new Error("authorize threw an error", { cause });
  }
}
