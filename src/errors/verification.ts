import { KeeplightError } from "./base.ts";

/** The network's content id is not that of the bytes; `problem` names further evidence. */
export function cidMismatch(
  ids: { expected: string; got: string; url?: string; name?: string; problem?: string },
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
