import type { CreateApiKeyOptions, EndpointOptions, Journal, KeyNodeOptions, Signer, SignerLike } from "keeplight";

/** Options of {@link openSession}. */
export interface SessionOptions {
  /** The network of this site: a session of another one is none. @default that of `defaultEndpoints` */
  endpoints?: Partial<EndpointOptions> | undefined;
}

/** Options of {@link Session.signIn}. */
export interface SignInOptions extends Omit<KeyNodeOptions, "endpoints">, Pick<CreateApiKeyOptions, "acceptMessage"> {
  /** The wallet of the account. */
  signer: SignerLike;
  /** When the session ends, in milliseconds from now. @default 86_400_000, a day */
  endsAfterMs?: number | undefined;
}

/** What calls take to act for the account: for `createKit`, `openDrive` and `KitProvider`. */
export interface SessionCallOptions {
  apiKey: string;
  /** Signs in to the key nodes without asking; throws `SESSION_ENDED` once the session has ended. */
  signer: Signer & { readonly address: string };
  /** The account's journal in this browser; `undefined` in a page that keeps nothing, such as one of a private window. */
  journal: Journal | undefined;
  /** As they were passed to {@link openSession}. @default none */
  endpoints?: Partial<EndpointOptions> | undefined;
}

/** What a page knows of its session. A new object after each change. */
export type SessionState =
  | {
      status: "signed-out";
      /** Account that another tab has signed in, while this one showed another account: see {@link Session.resume}. */
      other?: string | undefined;
    }
  | {
      status: "signed-in";
      /** Its address. */
      account: string;
      /** When it ends, in milliseconds since 1970. */
      endsAt: number;
      /** Whether it survives this page. */
      isKept: boolean;
      /** Address of the connected wallet, if that is another account: ask before you sign it in. */
      walletAccount?: string | undefined;
      /** The same object for the whole session. */
      options: SessionCallOptions;
    };

/** The session of a site in this browser. */
export interface Session {
  /** The same object until the next change. */
  state(): SessionState;
  /** Calls `listener` after each change, of other tabs too. Returns what ends that. */
  subscribe(listener: () => void): () => void;
  /**
   * Signs an account in: its wallet signs once for the API and once for the key nodes. No call asks again until the session
   * ends. Without a prompt if it is signed in already: then only the end changes. Another account takes its place.
   *
   * @throws `INVALID_OPTION`, `SIGNATURE_REJECTED`, `UNEXPECTED_MESSAGE`, `CANNOT_WRITE`, what `createApiKey` throws; then what
   * was signed in before stays
   */
  signIn(options: SignInOptions): Promise<void>;
  /**
   * Says which wallet is connected now; `undefined` for none. Changes nothing but `walletAccount`. It signs what the session
   * cannot: after the key nodes have refused it.
   */
  connect(wallet: SignerLike | undefined): Promise<void>;
  /** Shows what another tab has signed in. */
  resume(): Promise<void>;
  /** Ends the session so many milliseconds from now. @throws `INVALID_OPTION`, `SESSION_ENDED` */
  endAfter(ms: number): Promise<void>;
  /**
   * Ends the session in all tabs, and removes it: API key, sign-in, and the drive's key and list. What is not complete, and
   * changes that are not stored, stay sealed in this browser for the account's next sign-in.
   *
   * @throws `CANNOT_WRITE`; open tabs have ended all the same
   */
  lock(): Promise<void>;
  /**
   * Ends the session, and removes all that this browser has of the account, its journal included. Does nothing without one.
   *
   * @throws `SESSION_UNFINISHED` if uploads, payments or changes would be lost, unless `discard` is set: nothing has ended then
   */
  signOut(options?: { discard?: boolean | undefined }): Promise<void>;
  /** Stops following other tabs, and ends what this page uses of the session, which goes on. */
  close(): void;
}
