import { KeeplightError } from "./base.ts";

/** The network's content id is not that of the bytes; `problem` names further evidence. */
export function cidMismatch(
  ids: { expected: string; got: string; name?: string; problem?: string },
  cause?: unknown,
): KeeplightError {
  const of = ids.name === undefined ? "" : ` of ${ids.name || "the root folder"}`;
  const because = ids.problem === undefined ? "" : ` (${ids.problem})`;
  return new KeeplightError(
    "CID_MISMATCH",
    `The content id${of} does not match the bytes: expected ${ids.expected}, got ${ids.got}${because}`,
    { details: { ...ids }, cause },
  );
}

export function cidNotVerifiable(cid: string): KeeplightError {
  return new KeeplightError(
    "UNSUPPORTED",
    `Cannot verify ${cid}: only SHA-256 over a file as Kubo stores it is known`,
    { details: { cid } },
  );
}

export function folderTooLarge(name: string, entries: number): KeeplightError {
  return new KeeplightError(
    "UNSUPPORTED",
    `Cannot verify the content id of ${name || "the root folder"}: it has too many entries (${entries}) for one block`,
    { details: { name, entries } },
  );
}

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
