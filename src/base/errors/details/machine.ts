import type { NoDetails } from "../facts.ts";

/** Facts of failures on this machine: files and journals. */
export interface MachineDetails {
  /** The result could not be written. */
  CANNOT_WRITE: {
    /** Where it was to be written. */
    path: string;
    /** The operating system's code, such as `ENOSPC`. */
    code?: string;
  };
  /** Some files of a backup could not be stored: the same call sends them again. */
  BACKUP_UNFINISHED: {
    /** How many files. */
    files: number;
    /** Code of the error of the first one. */
    reason: string;
  };
  /** Some files of a snapshot could not be restored, everything else is: the same call tries them again. */
  RESTORE_UNFINISHED: {
    /** Each file. */
    failed: {
      /** Below the folder. */
      path: string;
      /** Code of its error. */
      code: string;
    }[];
  };
  /** The file is not a snapshot of a backup, or it is malformed. */
  INVALID_SNAPSHOT: {
    /** Content id of the file. */
    cid: string;
    /** What is wrong with it. */
    problem: string;
  };
  /** Something else is where a file, folder or link of a backup is to be restored. */
  FILE_EXISTS: {
    /** Where it is. */
    path: string;
  };
  /** Other users can read the journal's key file. */
  JOURNAL_KEY_EXPOSED: {
    /** Path of the key file. */
    path: string;
    /** Its permissions in octal digits. */
    mode: string;
  };
  /** The journal is there, but not the key of this machine that opens it. */
  JOURNAL_KEY_MISSING: {
    /** Path of the folder, or name of the database. */
    place: string;
    /** Path of the key file, or what it is in a page. */
    key: string;
  };
  /** Nothing that was passed opens the journal. */
  JOURNAL_LOCKED: {
    /** Path of the folder, or name of the database. */
    place: string;
    /** Kinds of the slots that the journal has. */
    slots: readonly string[];
  };
  /** A file or an entry of the journal was modified. */
  JOURNAL_DAMAGED: {
    /** The entry, or the part of the journal. */
    what: string;
  };
  /** The database of the journal was deleted while it was open. */
  JOURNAL_CLOSED: {
    /** Name of the database. */
    place: string;
  };
  /** Another process or page has been changing how the journal is opened for long. */
  JOURNAL_BUSY: {
    /** Path of the folder, or name of the database. */
    place: string;
  };
  /** Another process or page is working on the operation. */
  JOURNAL_ENTRY_BUSY: {
    /** Id of the operation. */
    id: string;
  };
  /** The operation was completed or discarded. */
  JOURNAL_ENTRY_UNKNOWN: {
    /** Id of the operation. */
    id: string;
  };
  /** Somebody has undone what an interrupted operation did, or a node had confirmed what it did not do: it is over. */
  OPERATION_UNDONE: {
    /** Id of the operation. */
    id: string;
  };
  /** The wallet's signatures would not open the journal again. */
  WALLET_UNSUITABLE: {
    /** Address of the wallet. */
    address: string;
  };
  /** This runtime cannot do it. */
  UNSUPPORTED: NoDetails;
}
