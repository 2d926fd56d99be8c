import { type CallOptions, isKeeplightError, KeeplightError, openFile } from "keeplight";
import {
  callback,
  encryptedSize,
  invalidOption,
  isKnown,
  mapInOrder,
  mixedSchema,
  type OptionSchema,
  reference,
  resolveOptions,
  throwIfAborted,
  wholeNumber,
} from "keeplight/parts";
import { FILE_LOST, isToVerify, type Ledger, type LedgerRow, type RowChange } from "./ledger/ledger.ts";
import { type BulkLedger, findPlan, getLedger } from "./ledger/open-ledger.ts";

/** Options of {@link verifyBulk}. */
export interface VerifyBulkOptions extends CallOptions {
  /** Where the rows of the files are. */
  ledger: BulkLedger;
  /**
   * How much of the plan is read back: 1 for every file, 0.01 for one of a hundred, evenly spread from a random start. At
   * least one file of a plan that is done.
   *
   * @default 1
   */
  sample?: number | undefined;
  /** How many files are read concurrently. @default 8 */
  workers?: number | undefined;
  /** Receives how many files were read, after each of them. @default none */
  onProgress?:
    | ((read: {
        /** How many files were read. */
        files: number;
        /** Size of those files, in bytes. */
        bytes: number;
      }) => void)
    | undefined;
}

const schema = {
  ...mixedSchema,
  ledger: reference<BulkLedger>(),
  sample: (sample = 1, name) => {
    if (typeof sample !== "number" || !(sample > 0 && sample <= 1)) throw invalidOption(name, "a number above 0, to 1");
    return sample;
  },
  workers: wholeNumber(8, 1, 1_000),
  onProgress: callback<NonNullable<VerifyBulkOptions["onProgress"]>>(),
} satisfies OptionSchema<VerifyBulkOptions>;

/** What was found out about the stored files of a plan. */
export interface BulkVerification {
  /** How many files were read back, whole and with the right bytes. */
  verified: number;
  /**
   * Paths of files that the network does not have any more: no gateway finds them, nor does the network list them. They are set
   * aside, and `retryBulk` starts them again.
   */
  lost: string[];
  /** Files that could not be read although they may be there, or that were changed meanwhile. */
  unread: {
    /** Below the source. */
    path: string;
    /** Code of the error. */
    code: string;
  }[];
}

/**
 * Reads the stored files of a plan back, all of them or a sample, by blocks that are verified against their content ids: no
 * gateway is trusted. Files that were read are `verified` from then on. No key is required, as encrypted files are read as
 * they are stored.
 *
 * @throws `INVALID_OPTION`, `ABORTED`; what the ledger throws
 *
 * @example
 * const { lost } = await verifyBulk(plan.id, { ledger, sample: 0.01 });
 */
export async function verifyBulk(planId: string, options: VerifyBulkOptions): Promise<BulkVerification> {
  const { ledger: handle, sample, workers, onProgress, ...call } = resolveOptions(schema, options);
  const { signal } = call;
  const ledger = getLedger(handle);
  const plan = await findPlan(ledger, planId);
  const isReadable = (row: Pick<LedgerRow, "status" | "problem">) => isToVerify(row, plan.encrypted);
  // But for those that were lost.
  const counts = (await ledger.count(planId)).filter((count) => !count.isSetAside && isReadable(count));
  const isPicked = createSampler(
    sample,
    counts.reduce((sum, count) => sum + count.files, 0),
  );
  const result: BulkVerification = { verified: 0, lost: [], unread: [] };
  const read = { files: 0, bytes: 0 };

  for (let batch = 0; batch < plan.loaded; batch++) {
    throwIfAborted(signal);
    const rows = (await ledger.read(planId, batch)).filter((row) => isReadable(row) && isPicked());
    const findings: Finding[] = [];
    try {
      for await (const finding of mapInOrder(rows, { limit: workers, signal }, createVerifier(call, plan.encrypted))) {
        findings.push(finding);
        read.files++;
        read.bytes += finding.row.size;
        onProgress?.({ ...read });
      }
    } finally {
      await recordFindings(ledger, planId, batch, findings);
    }
    for (const { row, found } of findings) {
      if (found === "verified") result.verified++;
      else if (found === "lost") result.lost.push(row.path);
      else result.unread.push({ path: row.path, code: found.code });
    }
  }
  return result;
}

interface Finding {
  row: LedgerRow;
  found: "verified" | "lost" | { code: string };
  /** If there is one. */
  change?: RowChange;
}

/** Code of a file whose row another process has changed while it was read. */
const CHANGED_MEANWHILE = "JOURNAL_ENTRY_BUSY";

/** Makes the changes of a batch, one by one if it has been changed meanwhile: what cannot be made was not found out. */
async function recordFindings(ledger: Ledger, planId: string, batch: number, findings: readonly Finding[]) {
  const changes = findings.flatMap(({ change }) => change ?? []);
  if (changes.length === 0 || (await ledger.change(planId, batch, changes))) return;
  for (const finding of findings) {
    if (!finding.change || (await ledger.change(planId, batch, [finding.change]))) continue;
    finding.found = { code: CHANGED_MEANWHILE };
  }
}

/** Creates what verifies files of a batch. */
function createVerifier(call: CallOptions, encrypted: boolean) {
  const requested = new Map<string, Promise<boolean>>();

  /** Reads a file to its end; throws if its bytes are not those of its content id, or if it has another size. */
  async function readStored({ cid = "", path, size }: LedgerRow, signal: AbortSignal): Promise<void> {
    const file = await openFile(cid, { ...call, signal });
    const expected = encrypted ? encryptedSize(size) : size;
    if (file.size !== expected) {
      const message = `${path} is stored with ${file.size} bytes instead of ${expected}`;
      throw new KeeplightError("CID_MISMATCH", message, { details: { expected: cid, got: cid, name: path } });
    }
    for await (const _ of file.stream());
  }

  /** Whether the network lists a file, or the folder that it was stored in; what cannot be found out counts as listed. */
  async function isListed({ cid, root }: LedgerRow): Promise<boolean> {
    const listed = encrypted ? cid : root;
    if (listed === undefined) return true;
    const known =
      requested.get(listed) ??
      isKnown(listed, call).catch((error: unknown) => {
        if (!isKeeplightError(error)) throw error;
        return true;
      });
    // The files of a batch are in one folder.
    requested.set(listed, known);
    return known;
  }

  return async (row: LedgerRow, signal: AbortSignal): Promise<Finding> => {
    const { index, status, problem } = row;
    try {
      await readStored(row, signal);
    } catch (error) {
      throwIfAborted(signal);
      if (!isKeeplightError(error)) throw error;
      // Gateways are not trusted: what is only not found by them must not be stored, and paid for, again.
      if (!isNotFound(error) || (await isListed(row))) return { row, found: { code: error.code } };
      if (problem) return { row, found: "lost" };
      const lost = { code: FILE_LOST, message: error.message };
      return { row, found: "lost", change: { index, from: status, to: status, problem: lost } };
    }
    if (status === "verified" && !problem) return { row, found: "verified" };
    const change: RowChange = { index, from: status, to: "verified", ...(problem ? { problem: null } : {}) };
    return { row, found: "verified", change };
  };
}

function isNotFound(error: KeeplightError): boolean {
  return isKeeplightError(error, "HTTP_STATUS") && [404, 410].includes(error.details.status);
}

/**
 * Creates a function that says of each item in turn whether it is in the sample: a fraction of all, evenly spread from a
 * random start, and at least one of `count` items.
 */
function createSampler(fraction: number, count: number): () => boolean {
  const step = 1 / fraction;
  let next = Math.random() * Math.min(step, count);
  let at = 0;
  return () => {
    if (at++ < Math.floor(next)) return false;
    next += step;
    return true;
  };
}
