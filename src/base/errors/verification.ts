import { isKeeplightError, KeeplightError } from "./base.ts";

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

export const cidNotVerifiable = (cid: string) =>
  new KeeplightError("UNSUPPORTED", `Cannot verify ${cid}: only SHA-256 over a file as Kubo stores it is known`, {
    details: { cid },
  });

interface Unproved {
  cid: string;
  url: string;
  tried: readonly { profile: string; cid: string }[];
}

const NO_PROFILE = "no known way to split a file yields the content id";

/** @param whyNoBlocks - why no gateway sent blocks of the file; `CID_MISMATCH` if one sent others */
export function nothingProves({ cid, ...facts }: Unproved, whyNoBlocks: unknown): KeeplightError {
  if (isKeeplightError(whyNoBlocks, "CID_MISMATCH")) return whyNoBlocks;
  return notVerified(cid, `no gateway sent blocks of the file, and ${NO_PROFILE}`, facts, whyNoBlocks);
}

/** Although the caller accepts bytes that nothing proves, these may be only some of the file's. */
export function endNotProved({ cid, ...facts }: Unproved): KeeplightError {
  const message = `Nothing proves that ${facts.url} sent all bytes of ${cid}: it only closed the connection, and ${NO_PROFILE}`;
  return new KeeplightError("NOT_VERIFIED", message, { details: { cid, ...facts } });
}

/** A content id that no bytes can be compared with. */
export const notComparable = (cid: string) =>
  notVerified(cid, "its content id is not of SHA-256 over a file as Kubo stores it");

function notVerified(cid: string, why: string, facts: Partial<Unproved> = {}, cause?: unknown): KeeplightError {
  const message = `Nothing proves that the bytes are those of ${cid}: ${why}. verifyCid: false accepts them unverified`;
  return new KeeplightError("NOT_VERIFIED", message, { details: { ...facts, cid }, cause });
}

/** @param cause - why the entry could not be written */
export function recoveryNotWritten(cause: unknown): KeeplightError {
  const message = "The files and their keys are saved, but not the entry in the recovery kit";
  return new KeeplightError("RECOVERY_NOT_WRITTEN", message, { cause });
}

/** The key is not the one that the commitment was made for, or it belongs to another file. */
export const commitmentMismatch = (cid: string) =>
  new KeeplightError("COMMITMENT_MISMATCH", `The key is not the committed key of ${cid}`, { details: { cid } });

/** A part of a file does not reveal a wrong key, so it takes another proof. */
export function keyNotProved(cid: string, cause?: unknown): KeeplightError {
  const message = `The key of ${cid} is not proved: pass \`commitment\`, or \`authenticate: true\` to read the whole file once`;
  return new KeeplightError("KEY_NOT_PROVED", message, { details: { cid }, cause });
}
