import { KeeplightError } from "./base.ts";

/** A gateway sent bytes that are not the block of this content id. */
export function blockMismatch(expected: string, url: string): KeeplightError {
  return new KeeplightError("CID_MISMATCH", `${url} sent other bytes than those of ${expected}`, {
    details: { expected, url },
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

export function gatewayOffersNoBlocks(url: string): KeeplightError {
  return new KeeplightError("UNSUPPORTED", `The gateway ${url} sends neither blocks nor parts of files`, {
    details: { url },
  });
}
