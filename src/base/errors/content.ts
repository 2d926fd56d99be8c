import { isKeeplightError, KeeplightError } from "./base.ts";

/** A gateway sent bytes that are not the block of this content id, or not those of the file at this position. */
export const blockMismatch = (expected: string, url: string, range?: { from: number; to: number }) =>
  new KeeplightError("CID_MISMATCH", `${url} sent other bytes than those of ${expected}`, {
    details: { expected, url, ...range },
  });

/** A block is not what its parents state: the author of the file made it so. */
export const malformedFile = (cid: string, problem: string) =>
  new KeeplightError("INVALID_RESPONSE", `${cid} is not a file that can be read: ${problem}`, {
    details: { cid, problem },
  });

export const noSuchPath = (cid: string, path: string) =>
  new KeeplightError("PATH_NOT_FOUND", `There is no ${path} in ${cid}`, { details: { cid, path } });

export const notAFile = (cid: string) =>
  new KeeplightError("UNSUPPORTED", `${cid} is not a file`, { details: { cid } });

export const notAFolder = (cid: string) =>
  new KeeplightError("UNSUPPORTED", `${cid} is not a folder`, { details: { cid } });

export const gatewayOffersNoBlocks = (url: string) =>
  new KeeplightError("UNSUPPORTED", `The gateway ${url} sends neither blocks nor parts of files`, { details: { url } });

/** Statuses by which a gateway asks for a plan or a key. */
const PLAN_REQUIRED: ReadonlySet<number> = new Set([401, 402, 403]);

/** Explains the refusal of a gateway that serves only its own accounts; returns any other error as it is. */
export function explainRefusal(error: unknown): unknown {
  if (!isKeeplightError(error, "HTTP_STATUS") || !PLAN_REQUIRED.has(error.details.status)) return error;
  const { url, serverMessage } = error.details;
  const advice = `${new URL(url).origin} requires a plan or a key: use another gateway, endpoints: { gateway: [...] }`;
  const hint = serverMessage === undefined ? advice : `${serverMessage} (${advice})`;
  return new KeeplightError("HTTP_STATUS", error.message, { details: { ...error.details, advice }, hint });
}

/** A decrypted file is not the manifest of a folder, or not one that may be trusted. */
export const invalidFolder = (cid: string, problem: string) =>
  new KeeplightError("INVALID_FOLDER", `${cid} is not an encrypted folder that can be read: ${problem}`, {
    details: { cid, problem },
  });

/** What should be a version of a drive's list, or its key, is not. */
export const invalidDrive = (cid: string, problem: string) =>
  new KeeplightError("INVALID_DRIVE", `${cid} is not part of a drive that can be read: ${problem}`, {
    details: { cid, problem },
  });

/** Only the owner of an encrypted folder may change who can open it. */
export const notOwnerOfFolder = (cid: string) =>
  new KeeplightError("NOT_OWNER", "Only the owner of a folder may change who can open it", { details: { cid } });

/** There is no deal with this file yet; a later call may succeed. */
export const proofNotReady = (cause: KeeplightError<"HTTP_STATUS">) =>
  new KeeplightError("PROOF_NOT_READY", "Proof Doesn't exist yet", { details: cause.details, cause });
