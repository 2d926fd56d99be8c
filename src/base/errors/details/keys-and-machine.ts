import type { NoDetails, NodeFailure, StatusFacts } from "./input-and-requests.ts";

/** Which file it is about. */
interface FileFacts {
  /** Content id of the file. */
  cid: string;
}

/** Facts of keys, of recovery, and of what was checked against its hashes. */
export interface KeyDetails {
  /** The key nodes did not accept the signature. */
  INVALID_SIGNATURE: {
    /** The transaction of a payment that the signature was for. */
    step?: string;
  };
  /** The signer did not sign. */
  SIGNATURE_REJECTED: NoDetails;
  /** A service requested a signature of a message that is not a known sign-in message of its own. */
  UNEXPECTED_MESSAGE: {
    /** Start of the message. */
    excerpt: string;
    /** Number of characters of the message. */
    length: number;
  };
  /** The key nodes do not know the CID. */
  CID_NOT_FOUND: FileFacts & {
    /** The response of each key node. */
    nodes: readonly NodeFailure[];
  };
  /** A key node refused the call. */
  NODE_REFUSED: StatusFacts & {
    /** `signature` if the node did not accept the JWT or the signature of the call. */
    reason?: "signature";
  };
  /** Too few key nodes returned a shard. */
  NODES_FAILED: {
    /** Number of shards that recover the key. */
    needed: number;
    /** Number of shards that were returned. */
    got: number;
    /** Why the other key nodes failed. */
    nodes: readonly NodeFailure[];
  };
  /** The shards do not restore a key. */
  CANNOT_RECOVER_KEY: NoDetails;
  /** The key is wrong or the file was modified. */
  CANNOT_DECRYPT: NoDetails;
  /** The files are stored; some key nodes do not have their shards yet. */
  SHARDS_NOT_SAVED: NoDetails;
  /** Some key nodes have another owner for the file. */
  NOT_OWNER: FileFacts;
  /** The files are stored and their keys are saved; the recovery entry is not written. */
  RECOVERY_NOT_WRITTEN: NoDetails;
  /** The file is not the manifest of an encrypted folder, or it is malformed. */
  INVALID_FOLDER: FileFacts & {
    /** What is wrong with it. */
    problem: string;
  };
  /** What should be a version of a drive's list, or its key, is malformed, or sealed by another key. */
  INVALID_DRIVE: FileFacts & {
    /** What is wrong with it. */
    problem: string;
  };
  /** The drive of the account cannot be opened now, so nothing was sent: `cause` says why. */
  DRIVE_NOT_OPEN: NoDetails;
  /** A message about shared files is malformed, for another account, or not signed by the account that it names. */
  INVALID_MESSAGE: {
    /** What is wrong with it. */
    problem: string;
  };
  /** The session that signs in a browser is over. */
  SESSION_ENDED: NoDetails;
  /** Signing out would lose what is not complete. */
  SESSION_UNFINISHED: {
    /** Number of open operations in the journal of the account. */
    operations: number;
    /** Whether the drive has changes that only this browser knows. */
    unsaved: boolean;
  };
  /** The file is not a recovery kit. */
  INVALID_KIT: {
    /** Path of the file, or a description of the source. */
    file: string;
    /** Number of the line, from 1. */
    line?: number;
  };
  /** The recovery kit does not hold the key of the file. */
  NOT_IN_KIT: FileFacts;
  /** Too few shards agree on the key to read a part of the file with it. */
  KEY_NOT_PROVED: FileFacts;
  /** The key is not the one that was committed to. */
  COMMITMENT_MISMATCH: FileFacts;
  /** The URL is not a share link. */
  INVALID_LINK: NoDetails;
  /** The proof does not hold. */
  PROOF_INVALID: {
    /** Field of the proof that is malformed or wrong. */
    field?: string;
    /** The deal that it does not hold for. */
    dealId?: number | string;
  };
  /** The bytes have another CID than the one from the network. */
  CID_MISMATCH: {
    /** The content id that was requested, or that the network reported. */
    expected: string;
    /** The content id of the bytes. */
    got?: string;
    /** The gateway that sent them. */
    url?: string;
    /** Which bytes of the file, from the first one to the one after the last, if it is known. */
    from?: number;
    /** Position after the last of those bytes. */
    to?: number;
    /** Name of the file in an upload. */
    name?: string;
    /** What is wrong with the file, if its author made it so. */
    problem?: string;
  };
  /** Nothing proves that the bytes are those of the content id. */
  NOT_VERIFIED: FileFacts & {
    /** The gateway that sent the bytes. */
    url?: string;
    /** The chunk profiles that were tried, and the content id that each yields. */
    tried?: readonly {
      /** As in the option `chunkProfile`. */
      profile: string;
      /** Content id of the bytes. */
      cid: string;
    }[];
  };
  /** There is nothing at this path in the folder. */
  PATH_NOT_FOUND: {
    /** Content id of the folder. */
    cid: string;
    /** The path below it. */
    path: string;
  };
}

/** Where a journal is. */
interface JournalFacts {
  /** Path of the folder, or name of the database. */
  place: string;
}

/** Which operation of a journal it is about. */
interface EntryFacts {
  /** Id of the operation. */
  id: string;
}

/** Facts of failures on this machine: files and journals. */
export interface MachineDetails {
  /** The result could not be written. */
  CANNOT_WRITE: {
    /** Where it was to be written. */
    path: string;
    /** The operating system's code, such as `ENOSPC`. */
    code?: string;
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
  INVALID_SNAPSHOT: FileFacts & {
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
  JOURNAL_KEY_MISSING: JournalFacts & {
    /** Path of the key file, or what it is in a page. */
    key: string;
  };
  /** Nothing that was passed opens the journal. */
  JOURNAL_LOCKED: JournalFacts & {
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
  JOURNAL_BUSY: JournalFacts;
  /** Another process or page is working on the operation. */
  JOURNAL_ENTRY_BUSY: EntryFacts & {
    /** Who works on it, such as `process 4711 of this machine`; known once a payment has waited for it. */
    owner?: string;
  };
  /** The operation was completed or discarded. */
  JOURNAL_ENTRY_UNKNOWN: EntryFacts;
  /**
   * Somebody has undone what an interrupted operation did, or a node had confirmed what it did not do, or a later call has left
   * less to do of it: it is over. `id` is that of the journal, if the operation is in one.
   */
  OPERATION_UNDONE: Partial<EntryFacts>;
  /** The wallet's signatures would not open the journal again. */
  WALLET_UNSUITABLE: {
    /** Address of the wallet. */
    address: string;
  };
  /** This runtime cannot do it. */
  UNSUPPORTED: NoDetails;
}
