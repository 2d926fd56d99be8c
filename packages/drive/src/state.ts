// What a drive consists of: a set of entries, each of a few registers. Any two states, and a state and a change, can be
// merged: `merge.ts` decides how.

/**
 * When something was set, and by which device: 9 base-36 digits of milliseconds since 1970, then 6 characters of the device.
 * Stamps are ordered as strings.
 */
export type Stamp = string;

/** A value, and when it was set. */
export type Register<Value> = readonly [value: Value, stamp: Stamp];

/** One version of a file, which is an encrypted file of its own on the network. */
export interface FileVersion {
  /** In bytes, decrypted. */
  size: number;
  /** When it became the current version; it does so again if it is restored. */
  added: Stamp;
  /** What `commitToKey` returns for its key, 64 hex characters. */
  commitment?: string | undefined;
  /** How the encrypted file was split into blocks. */
  chunkProfile?: string | undefined;
  /** When the source was changed, in milliseconds since 1970. */
  modified?: number | undefined;
  /** Media type. */
  type?: string | undefined;
}

/** What is known of one file or folder. */
export interface EntryState {
  /** Set for a folder. */
  folder?: true | undefined;
  /** Id of the folder that it is in; empty at the top. */
  parent?: Register<string> | undefined;
  name?: Register<string> | undefined;
  trashed?: Register<boolean> | undefined;
  /** Of a file: its versions by content id. */
  files?: Readonly<Record<string, FileVersion>> | undefined;
  /** Content ids of versions that are deleted for good; of a folder an empty list. */
  erased?: readonly string[] | undefined;
}

/** What one sender, or one link, says of a file. Nothing that another one says changes it. */
export interface SharedState {
  file: Register<SharedFacts>;
  removed?: Register<boolean> | undefined;
}

/** What a message or a link says of a file that is shared with the account, or by it. */
export interface SharedFacts extends Omit<FileVersion, "added" | "modified" | "size"> {
  /** Content id. */
  cid: string;
  /** With folders, if it is in some. */
  name: string;
  /** In bytes, decrypted, if it is known. */
  size?: number | undefined;
  /** Address that signed the message. */
  from?: string | undefined;
  /** When it did, in milliseconds since 1970. */
  sentAt?: number | undefined;
  /** Master key of the file, of a link that has it: 64 hex characters. A secret. */
  key?: string | undefined;
  /** A link that opens the file until it is ended: the account's own if `from` is the account. A secret. */
  link?: string | undefined;
  /** Of a link: of the account's own the address that its file is shared with, otherwise the hash of its text. */
  linkId?: string | undefined;
  /** When the link ends, in milliseconds since 1970, if it does by itself. */
  endsAt?: number | undefined;
}

/** What the account calls an address. */
export interface ContactFacts {
  name: string;
  /** Empty if there is none. */
  note: string;
  /** ENS name that led to the address. */
  ens?: string | undefined;
}

/** Contacts by address, as `checkAddress` returns it; `null` for one that was removed. */
export type ContactsState = ReadonlyMap<string, Register<ContactFacts | null>>;

/** A drive, or a change of it: the entries that it consists of, by id. */
export interface DriveState {
  entries: ReadonlyMap<string, EntryState>;
  /** Files that others share with the account, and links by which it shares its own: by `toSharedId`. */
  shared?: ReadonlyMap<string, SharedState> | undefined;
  /** Names that the account has given to addresses. */
  contacts?: ContactsState | undefined;
  /** Name (IPNS) that the newest version is published under, if there is one. */
  pointer?: Register<string> | undefined;
}

export const emptyState: DriveState = { entries: new Map() };

/** Whether a state says nothing: there is nothing to store. */
export function isEmpty({ entries, shared, contacts, pointer }: DriveState): boolean {
  return entries.size + (shared?.size ?? 0) + (contacts?.size ?? 0) === 0 && pointer === undefined;
}

/** Id of the top of a drive, which is no entry. */
export const TOP = "";

const TIME_DIGITS = 9;
const DEVICE_CHARACTERS = 6;
const ID_BYTES = 12;

const ID = /^[\w-]{16}$/;
const STAMP = /^[0-9a-z]{9}[\w-]{6}$/;

export const isEntryId = (value: unknown): value is string => typeof value === "string" && ID.test(value);

export const isStamp = (value: unknown): value is Stamp => typeof value === "string" && STAMP.test(value);

/** Creates the id of a new entry: 96 random bits. */
export const createEntryId = (): string => toBase64Url(crypto.getRandomValues(new Uint8Array(ID_BYTES)));

/** Time of a stamp, in milliseconds since 1970. */
export const getTime = (stamp: Stamp): number => Number.parseInt(stamp.slice(0, TIME_DIGITS), 36);

/**
 * Creates the clock of one device, by which its stamps are later than all that it has seen, regardless of what its wall clock
 * says.
 */
export function createClock(now: () => number) {
  const device = createEntryId().slice(0, DEVICE_CHARACTERS);
  let latest = 0;
  return {
    /** Makes all following stamps later than this one. */
    observe(stamp: Stamp): void {
      latest = Math.max(latest, getTime(stamp));
    },
    next(): Stamp {
      latest = Math.max(now(), latest + 1);
      return latest.toString(36).padStart(TIME_DIGITS, "0") + device;
    },
  };
}

/** Encodes bytes in base64url without padding (RFC 4648, section 5). */
export function toBase64Url(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}
