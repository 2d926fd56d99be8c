import { isKeeplightError, KeeplightError } from "./base.ts";

/** A gateway sent bytes that are not the block of this content id. */
export function blockMismatch(expected: string, url: string): KeeplightError {
  return new KeeplightError("CID_MISMATCH", `${url} sent other bytes than those of ${expected}`, {
    details: { expected, url },
  });
}

/** A gateway sent bytes that are not those of the file at this position. */
export function partMismatch(expected: string, url: string, range: { from: number; to: number }): KeeplightError {
  return new KeeplightError("CID_MISMATCH", `${url} sent other bytes than those of ${expected}`, {
    details: { expected, url, ...range },
  });
}

/** A block is not what its parents state: the author of the file made it so. */
export function malformedFile(cid: string, problem: string): KeeplightError {
  return new KeeplightError("INVALID_RESPONSE", `${cid} is not a file that can be read: ${problem}`, {
    details: { cid, problem },
  });
}

export function noSuchPath(cid: string, path: string): KeeplightError {
  return new KeeplightError("PATH_NOT_FOUND", `There is no ${path} in ${cid}`, { details: { cid, path } });
}

export function notAFile(cid: string): KeeplightError {
  return new KeeplightError("UNSUPPORTED", `${cid} is not a file`, { details: { cid } });
}

export function notAFolder(cid: string): KeeplightError {
  return new KeeplightError("UNSUPPORTED", `${cid} is not a folder`, { details: { cid } });
}

export function gatewayOffersNoBlocks(url: string): KeeplightError {
  return new KeeplightError("UNSUPPORTED", `The gateway ${url} sends neither blocks nor parts of files`, {
    details: { url },
  });
}

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
