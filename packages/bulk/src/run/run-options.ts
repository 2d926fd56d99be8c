import type { JournalUnlock } from "keeplight";
import {
  callback,
  invalidOption,
  type OptionSchema,
  optional,
  type Resolved,
  signal,
  unchecked,
  wholeNumber,
} from "keeplight/parts";
import type { Ledger, LedgerPlan } from "../ledger/ledger.ts";
import { type BulkOrigin, isOrigin } from "../plan/plan.ts";
import { createEncryptedSenders } from "./encrypted-sender.ts";
import { type BulkUploadOptions, createPlainSender, uploadCheck } from "./plain-sender.ts";
import type { BatchContext } from "./run-batch.ts";

/** Options of everything that sends the files of plans. */
export interface BulkRunOptions {
  /** Options of each upload, such as `apiKey`, `signer` and `endpoints`. */
  upload: BulkUploadOptions;
  /** How many batches are sent concurrently. @default 4 */
  workers?: number | undefined;
  /** How many times a batch is tried before its files are set aside. @default 5 */
  attempts?: number | undefined;
  /** Wait before the second attempt, in milliseconds; twice as long before each further one. @default 1,000 */
  retryMs?: number | undefined;
  /**
   * For how long a service that is down is waited for, in milliseconds: its failures are not counted as attempts, unless other
   * batches succeed meanwhile. Those of a store that files are read from are not counted even then. @default 3,600,000 (an hour)
   */
  outageMs?: number | undefined;
  /** The most batches that are started in a minute, over all workers that share an engine. @default no limit */
  batchesPerMinute?: number | undefined;
  /** Where the files are, such as `{ root: "/mnt/photos" }` on another machine. @default where the plan has found them */
  source?: BulkOrigin | undefined;
  /**
   * Opens the journal beside the ledger, in which the keys of encrypted files are sealed until they are on the key nodes. A ledger
   * in PostgreSQL requires `{ identity }`, the same for all workers (or `{ passphrase }`).
   *
   * @default this machine's key, a file of mode 0600 beside a ledger in a folder
   */
  unlock?: JournalUnlock | undefined;
  /**
   * Receives errors of batches, which are tried again or set aside: also each failure of a service that is down, and waited for.
   * What it throws or rejects with is ignored.
   *
   * @default none
   */
  onError?: ((error: unknown) => void) | undefined;
  /** Stops after the requests that are on their way. @default none */
  signal?: AbortSignal | undefined;
}

export const bulkRunSchema = {
  upload: uploadCheck,
  workers: wholeNumber(4, 1, 1_000),
  attempts: wholeNumber(5, 1, 100),
  retryMs: wholeNumber(1_000),
  outageMs: wholeNumber(3_600_000),
  batchesPerMinute: optional(wholeNumber(1, 1, 1_000_000)),
  source: optional((source, name) => {
    if (!isOrigin(source)) throw invalidOption(name, "{ root }, the path of a folder, or a store with `open`");
    return source;
  }),
  unlock: unchecked<JournalUnlock>(),
  onError: callback<(error: unknown) => void>(),
  signal: (value, name) => signal(value, name) ?? new AbortController().signal,
} satisfies OptionSchema<BulkRunOptions>;

export type ResolvedRun = Resolved<typeof bulkRunSchema>;

/** What reading and sending the files of plans depends on. */
type RunSettings = Pick<ResolvedRun, "upload" | "source" | "unlock" | "signal">;

/** Creates what the batches of plans are run with. */
export function createContext(ledger: Ledger, { upload, source, unlock, signal }: RunSettings): BatchContext {
  const encrypted = createEncryptedSenders(ledger, upload, unlock);
  const startPlain = ({ id }: LedgerPlan, batch: number) => createPlainSender(ledger, id, batch, upload);
  return { ledger, source, startPlain, encrypted, signal };
}
