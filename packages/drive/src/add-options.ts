import type {
  AccessOptions,
  CallOptions,
  RecoveryOptions,
  SaveOnOptions,
  StorageOptions,
  UploadEncryptedOptions,
} from "keeplight";
import { type JournalLike, type OptionSchema, reference, uploadEncryptedSchema } from "keeplight/parts";
import type { EntryLike } from "./changes.ts";

/** Options of `drive.add`: where to, and those of an encrypted upload, but its account, and how names are stored. */
export type AddOptions = AccessOptions &
  RecoveryOptions &
  SaveOnOptions &
  StorageOptions &
  Omit<CallOptions, "endpoints"> &
  Pick<UploadEncryptedOptions, "cidVersion" | "onProgress" | "verifyCid"> & {
    /** Folder to add to: what `list` returned, or its path, which is created if it is not there. @default the top */
    folder?: EntryLike | undefined;
    /** Name of a single file that has none of its own. @default that of the source */
    name?: string | undefined;
    /** Pays for this upload alone, as `upload` does. @default the plan of the account */
    payPerUpload?: UploadEncryptedOptions["payPerUpload"];
    /** That of a place in the queue of the drive's journal, from where the files are uploaded. @default the drive's */
    journal?: JournalLike | undefined;
  };

const { shareTo, conditions, chainType, aggregator, decryptionType, ...rest } = uploadEncryptedSchema;
const { recovery, recoveryTo, saveOn, threshold, storage, checkRoom, name, payPerUpload } = rest;
const { cidVersion, verifyCid, onProgress, signal, timeoutMs, idleTimeoutMs, journal } = rest;

/** Checks {@link AddOptions}. What they do not name is that of the drive: its account, its network, its key nodes. */
export const addSchema = {
  folder: reference<EntryLike>(),
  ...{ shareTo, conditions, chainType, aggregator, decryptionType, recovery, recoveryTo, saveOn, threshold },
  ...{
    storage,
    checkRoom,
    name,
    payPerUpload,
    cidVersion,
    verifyCid,
    onProgress,
    signal,
    timeoutMs,
    idleTimeoutMs,
    journal,
  },
} satisfies OptionSchema<AddOptions>;
