import type { FileProblem, FileStatus, LedgerRow, RowChange } from "./types.ts";

// Decides every change of a ledger. Pure: a batch that runs twice, or in two places, changes nothing the second time.

/** The statuses that may follow each: always forward, so that nothing is done twice. */
const FOLLOWING: Readonly<Record<FileStatus, readonly FileStatus[]>> = {
  found: ["sent"],
  sent: ["stored"],
  stored: ["saved", "verified"],
  saved: ["verified"],
  verified: [],
};

/** Code of the problem of a file that was stored and that the network does not have any more. */
export const FILE_LOST = "FILE_LOST";

/** Code of the problem of a file that may be stored, and whose key is in a damaged entry of the journal. */
export const KEY_UNREADABLE = "JOURNAL_DAMAGED";

/**
 * Whether a file that is set aside may get another status than it had. It starts again if the network has lost it, or this
 * machine its key: nobody can read what is stored. One that was lost is `verified` once it is found again.
 */
function mayFollowProblem({ code }: FileProblem, to: FileStatus): boolean {
  if (code === FILE_LOST) return to === "found" || to === "verified";
  return code === KEY_UNREADABLE && to === "found";
}

/**
 * Returns the rows with all changes made, or `undefined` if any of them is not allowed: then none is made.
 *
 * @param rows - of a batch, in their order
 */
export function applyChanges(rows: readonly LedgerRow[], changes: readonly RowChange[]): LedgerRow[] | undefined {
  const changed = [...rows];
  const seen = new Set<number>();
  for (const change of changes) {
    const row = rows[change.index];
    if (!row || seen.has(change.index) || !isAllowed(row, change)) return undefined;
    seen.add(change.index);
    changed[change.index] = toChanged(row, change);
  }
  return changed;
}

function isAllowed(row: LedgerRow, { from, to, cid, problem }: RowChange): boolean {
  if (row.status !== from) return false;
  if (row.problem) return problem === null && (to === from || mayFollowProblem(row.problem, to));
  if (problem === null) return false;
  if (problem !== undefined) return to === from;
  return FOLLOWING[from].includes(to) && (to === "stored") === (cid !== undefined);
}

function toChanged(row: LedgerRow, { to, cid = row.cid, root = row.root, problem }: RowChange): LedgerRow {
  const { problem: _, cid: __, root: ___, ...rest } = row;
  const isStored = to !== "found";
  return {
    ...rest,
    status: to,
    ...(isStored && cid !== undefined ? { cid } : {}),
    ...(isStored && root !== undefined ? { root } : {}),
    ...(problem ? { problem } : {}),
  };
}

/**
 * Whether a file may be read back, and become `verified`: it is stored, and if it is encrypted, its key is on the key nodes. Until
 * then its row has to say that it is not.
 */
export function isToVerify({ status, problem }: Pick<LedgerRow, "status" | "problem">, encrypted: boolean): boolean {
  if (problem && problem.code !== FILE_LOST) return false;
  return status === "saved" || status === "verified" || (status === "stored" && !encrypted);
}

/** Whether nothing is left to do for a file, but to read it back. */
export function isDone({ status, problem }: LedgerRow, encrypted: boolean): boolean {
  return problem !== undefined || status === "verified" || status === (encrypted ? "saved" : "stored");
}
