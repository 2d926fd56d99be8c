/** The kinds of slots. */
export type SlotKind = "machine" | "passphrase" | "recipient" | "keyring" | "wallet";

/** One way of opening a journal: its key, wrapped. */
export interface SlotRecord {
  id: string;
  kind: string;
  /** The age recipient or the wallet's address. */
  target?: string;
  /** The wrapped key, base64. */
  wrapped: string;
}

/** Which slot of which journal a wrapped key belongs to, by their ids. */
export interface SlotSubject {
  journal: string;
  slot: string;
}

/** Wraps a journal's key by one means. */
export interface SlotWrapper {
  kind: SlotKind;
  target?: string;
  wrap(subject: SlotSubject, key: Uint8Array<ArrayBuffer>): Promise<string>;
}

/** Opens the slots of one kind. */
export interface SlotOpener {
  kind: SlotKind;
  /** Unwraps the journal's key. Returns `undefined` if this means does not open this slot. */
  unwrap(subject: SlotSubject, record: SlotRecord): Promise<Uint8Array<ArrayBuffer> | undefined>;
}
