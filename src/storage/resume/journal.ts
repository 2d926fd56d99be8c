import { callback, type OptionSchema, type Resolved, unchecked } from "../../base/operation.ts";
import { type BearerOptions, checkEndpoints, type Optional } from "../../base/options.ts";
import type { SigningOptions } from "../../base/validation/sign.ts";
import type { RecoveryOptions } from "../../formats/recovery-file/recorder-options.ts";
import type { JournalLike } from "../../journal/handle.ts";
import type { JournalSlot } from "../../journal/journal-key.ts";
import type { JournalUnlock, NewJournalSlot } from "../../journal/slots/slot.ts";
import { type OwnerOptions, ownerCallSchema } from "../../keys/auth/owner.ts";
import { type ShardRequestOptions, shardRequestSchema } from "../../keys/file-keys/recover-shards.ts";
import type { KeyRepair } from "../../keys/file-keys/repair.ts";
import type { CallKind } from "../../keys/nodes/call-entry.ts";
import type { KeyNodeOptions } from "../../keys/nodes/node-client.ts";
import type { CompletedNodes } from "../../keys/nodes/run-on-all-nodes.ts";
import type { SavedFile } from "../../platform/types.ts";
import type { DownloadKind } from "../download/download-entry.ts";
import type { OnProgress } from "../progress.ts";
import type { Source } from "../upload/source.ts";
import { checkPayer, type UploadAccess, type UploadPayer } from "../upload/upload-access.ts";
import type { UploadedFiles } from "../upload/upload-response.ts";

/** Where a journal is kept: in Node a `folder`, in a page or a worker a database with a `name`. */
export type OpenJournalOptions = (
  | {
      /** In Node: a folder for nothing else; created with mode 0700 if there is none. */
      folder: string | URL;
      /** Only in a page. @default none */
      name?: undefined;
    }
  | {
      /** In a page or a worker: the name of a database (IndexedDB) for nothing else; created if there is none. */
      name: string;
      /** Only in Node. @default none */
      folder?: undefined;
    }
) & {
  /**
   * What opens the journal, by one of its slots; a new journal has a slot for it, and no other.
   *
   * @default this machine's key
   */
  unlock?: JournalUnlock | undefined;
};

/** An operation that is not complete. Plain data without secrets. */
export interface OpenOperation {
  /** For `resume` and `discard`. */
  id: string;
  /**
   * What it does; `queued` for files that wait to be uploaded by a page's hooks, of which nothing is sent yet;
   * `unreadable` if its entry is damaged.
   */
  kind: "upload" | "queued" | DownloadKind | CallKind | "payment" | "unreadable";
  /**
   * Of the files of an upload, as they are sent; of those that wait, with their folders; the path of a download; the
   * order id of a payment. Else empty.
   */
  names: string[];
  /**
   * Of an encrypted folder, or of one that waits: its name. `names` of the former are those that its files, and its
   * manifest after them, are stored under.
   */
  folder?: string;
  /** Of the same files, in bytes; `undefined` if unknown. */
  sizes: (number | undefined)[];
  /** Content ids, as far as they are known; empty for a change of delegates, which is about all files. */
  cids: string[];
  /** Of a download: how many bytes of the stored file have arrived. */
  bytesDone?: number;
  /** Of an upload with `payPerUpload`, started or queued, which is required again: the limit that it was started with. */
  payPerUpload?: {
    /** In the smallest unit of the token. */
    maxAmount: bigint;
  };
  /** The key nodes that have done their part for all files. */
  nodesDone: number[];
  /** In milliseconds since 1970; 0 if unreadable. */
  startedAt: number;
  /** In milliseconds since 1970; 0 if unreadable. */
  updatedAt: number;
  /**
   * Absent if nobody works on it, so that it can be resumed or discarded; `here` if a call with this journal does,
   * `elsewhere` if one of another process, page or journal object does.
   */
  worker?: "here" | "elsewhere";
}

/** An operation of one kind that was resumed. */
export interface Resumed<Kind, Result> {
  /** The one it had in the journal. */
  id: string;
  /** What it did. */
  kind: Kind;
  /** What the interrupted call would have returned; of an encrypted folder its manifest, then its files. */
  result: Result;
}

/** An operation that was resumed. */
export type ResumedOperation =
  | Resumed<"upload", UploadedFiles>
  | Resumed<DownloadKind, SavedFile>
  | Resumed<Exclude<CallKind, "repair">, CompletedNodes>
  | Resumed<"repair", KeyRepair>;

/** An operation that could not be completed; it is still open. */
export interface FailedOperation {
  /** For another `resume`. */
  id: string;
  /** Why it failed. */
  error: unknown;
}

/**
 * Keeps what is needed to continue operations that are interrupted, even by the end of the process; sealed. If the
 * database of a page is deleted while it is open, every call with the journal throws `JOURNAL_CLOSED`.
 */
export interface Journal extends JournalLike {
  /** Lists the open operations, oldest first, including those that are being worked on. */
  list(): Promise<OpenOperation[]>;
  /**
   * Completes an open operation other than a payment, as the account that started it. Requires `apiKey` only if files
   * have to be sent again, and for a download no account, unless it recovers a key. What the access conditions of its
   * file require is passed again as `dynamicData`.
   *
   * @throws `JOURNAL_ENTRY_UNKNOWN`, `JOURNAL_ENTRY_BUSY`, `JOURNAL_DAMAGED`; `SOURCE_CHANGED` for a file that changed
   * since, and `INVALID_SOURCE` for one that has to be passed as `source`; `INVALID_OPTION` for another owner, for a
   * payment, which `resumePayments` continues, and for what is `queued`, which `useUnfinished` continues; what the
   * interrupted call throws. The operation stays open after any of them. `OPERATION_UNDONE` ends it: a file was
   * transferred back before its transfer was resumed.
   *
   * What later calls on the same file that this journal recorded have changed is not undone: someone who was revoked
   * meanwhile is not readmitted.
   */
  resume(id: string, options?: ResumeOperationOptions): Promise<ResumedOperation>;
  /** Resumes all open operations but payments and what is queued, oldest first; one that fails does not stop the others. */
  resumeAll(options?: ResumeOperationOptions): Promise<(ResumedOperation | FailedOperation)[]>;
  /**
   * Removes an open operation without completing it. The keys of an upload whose files are stored are lost with it, and
   * what has arrived of a download. A payment may still be carried out by the chain, and its order would be paid again.
   *
   * @throws `JOURNAL_ENTRY_UNKNOWN`, `JOURNAL_ENTRY_BUSY`
   */
  discard(id: string): Promise<void>;
  /** Lists what opens the journal. */
  slots(): Promise<JournalSlot[]>;
  /**
   * Adds another way to open the journal.
   *
   * @throws `INVALID_OPTION`, `CANNOT_WRITE`, `JOURNAL_BUSY`, `UNSUPPORTED` if there is no keyring; of a wallet:
   * `WALLET_UNSUITABLE`, `SIGNATURE_REJECTED`, `INVALID_ADDRESS`, `NETWORK` if the code of its address cannot be queried
   */
  addSlot(slot: NewJournalSlot): Promise<JournalSlot>;
  /**
   * Removes a way to open the journal, but never the last one besides wallets. The journal's key stays the same:
   * someone who has opened the journal by this slot, and can still read it, may have kept its key.
   *
   * @throws `INVALID_OPTION`, `CANNOT_WRITE`, `JOURNAL_BUSY`
   */
  removeSlot(id: string): Promise<void>;
}

/** A download as it is stored requires no account, and a decryption only if it was started with one. */
type NoOwner = SigningOptions & { signer?: undefined; address?: undefined; authToken?: undefined };

/** Options of resuming an operation of a journal. What the operation is to do cannot be changed. */
export type ResumeOperationOptions = Optional<BearerOptions> &
  KeyNodeOptions &
  (OwnerOptions | NoOwner) &
  Pick<ShardRequestOptions, "dynamicData"> &
  Optional<RecoveryOptions> & {
    /**
     * The files of an upload again, if they have to be sent again and were not read from a path, such as streams, or
     * the files that were picked in a page. Their names and sizes must be the same, and the `lastModified` of a `File`.
     *
     * @default the upload's own paths
     */
    source?: Source | undefined;
    /**
     * The content id of each file of an upload, by its name, if the upload node's response is not trusted.
     *
     * @default those of the upload node's response
     */
    cids?: Readonly<Record<string, string>> | undefined;
    /**
     * Sends the files of an upload through an endpoint of one's own server instead of with an API key.
     *
     * @default none
     */
    via?: UploadAccess["via"];
    /** Pays for an upload that was started with `payPerUpload`; its network and its order stay. @default none */
    payPerUpload?: UploadPayer | undefined;
    /** Receives how far an upload or a download is. @default none */
    onProgress?: OnProgress | undefined;
  };

/** Checks {@link ResumeOperationOptions}; what only uploads use is checked by them. */
export const resumeSchema = {
  ...ownerCallSchema,
  endpoints: checkEndpoints,
  apiKey: unchecked<string>(),
  recovery: unchecked<RecoveryOptions["recovery"]>(),
  recoveryTo: unchecked<RecoveryOptions["recoveryTo"]>(),
  dynamicData: shardRequestSchema.dynamicData,
  source: unchecked<Source>(),
  cids: unchecked<Readonly<Record<string, string>>>(),
  via: unchecked<UploadAccess["via"]>(),
  payPerUpload: checkPayer,
  onProgress: callback<OnProgress>(),
} satisfies OptionSchema<ResumeOperationOptions>;

/** The options that an operation is resumed with: those that were passed, checked. */
export type ResumingOptions = Partial<Resolved<typeof resumeSchema>>;

/**
 * Changes some of the options that a journal has stored. A change that is `undefined` leaves what was stored, and so does
 * an endpoint that is not named: no part of an operation moves to another network unasked.
 */
export function mergeStoredOptions(stored: { endpoints?: unknown }, changed: { endpoints?: unknown }): object {
  const changes = Object.entries(changed).filter(([, value]) => value !== undefined);
  const endpoints = { ...Object(stored.endpoints), ...Object(changed.endpoints) };
  return { ...stored, ...Object.fromEntries(changes), endpoints };
}
