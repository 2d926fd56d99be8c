/** A wallet that signs typed data (EIP-712), such as an ethers signer. */
export interface TypedDataSigner {
  /** An EVM address. */
  getAddress(): Promise<string> | string;
  /** Returns 65 bytes in hex. */
  signTypedData(
    domain: {
      /** Name of the signing domain. */
      name: string;
      /** Its version. */
      version: string;
    },
    types: Record<
      string,
      {
        /** Name of the field. */
        name: string;
        /** Its Solidity type. */
        type: string;
      }[]
    >,
    value: Record<string, string>,
  ): Promise<string>;
  /** Queried for the code of the address if it has `getCode(address)`. */
  provider?: unknown;
}

/** Queries a chain, as the providers of ethers do. */
export interface CodeProvider {
  /** Returns the code at an address in hex, `0x` for none. */
  getCode(address: string): Promise<string>;
}

/** What opens a journal instead of this machine's key: exactly one of them. */
export interface JournalUnlock {
  /** Of a slot that was added with it. */
  passphrase?: string | undefined;
  /** An age identity (`AGE-SECRET-KEY-1…`): opens the slots for its recipient. */
  identity?: string | undefined;
  /** The keyring of the operating system, in Node if `@napi-rs/keyring` is installed. */
  keyring?: true | undefined;
  /** The wallet that a slot was added with. It signs typed data (EIP-712). */
  signer?: TypedDataSigner | undefined;
}

/** Another way to open a journal: exactly one of them. */
export interface NewJournalSlot {
  /** This machine's key, the default of new journals: a file of mode 0600, or a non-extractable key of a page. */
  machine?: true | undefined;
  /** Everyone who guesses it, and can read the journal, opens it: use several random words. */
  passphrase?: string | undefined;
  /** An age recipient (`age1…`, of X25519), such as that of {@link createRecoveryIdentity}. */
  recipient?: string | undefined;
  /** The keyring of the operating system, in Node if `@napi-rs/keyring` is installed. */
  keyring?: true | undefined;
  /**
   * A wallet. It signs the same typed data (EIP-712) twice, and is refused if the signatures differ or its address has
   * code. Never the only slot, as an update of the wallet may change how it signs.
   */
  signer?: TypedDataSigner | undefined;
  /** Queried for the code of the signer's address. Default the signer's own provider. */
  provider?: CodeProvider | undefined;
}

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

export type Bytes = Uint8Array<ArrayBuffer>;

/** Which slot of which journal a wrapped key belongs to, by their ids. */
export interface SlotSubject {
  journal: string;
  slot: string;
}

/** One means of opening a journal: wraps its key in a slot of its kind, and unwraps it. */
export interface SlotMeans {
  kind: SlotKind;
  target?: string;
  wrap(subject: SlotSubject, key: Bytes): Promise<string>;
  /** Unwraps the journal's key. Returns `undefined` if this means does not open this slot. */
  unwrap(subject: SlotSubject, record: SlotRecord): Promise<Bytes | undefined>;
}
