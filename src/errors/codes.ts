import type { ConditionProblem, NodeFailure, RequestFacts, TransactionFacts } from "./facts.ts";

/** No facts beyond the code and the message. */
type NoDetails = Record<never, never>;

/** What a service responded. */
interface StatusFacts extends RequestFacts {
  status: number;
  /** The service's message, shortened and without secrets. */
  serverMessage?: string;
  /** `Retry-After`, if the service sent one. */
  retryAfterSeconds?: number;
  /** What to do about a gateway's refusal. */
  advice?: string;
}

/** The facts that each error carries, by its code. Errors may carry more, such as those of a call that can be resumed. */
export interface ErrorDetails {
  // input, refused before anything is sent
  /** Not a CID. */
  INVALID_CID: { cid: string };
  /** Not an EVM or base58 address. */
  INVALID_ADDRESS: { address: string; position?: number };
  /** Not a key that can be split or used. */
  INVALID_KEY: NoDetails;
  /** Not the shards of one key. */
  INVALID_SHARDS: { position?: number };
  /** An option that is unknown, missing or malformed. */
  INVALID_OPTION: { option?: string; nearest?: string };
  /** Not something that can be uploaded. */
  INVALID_SOURCE: { name?: string };
  /** Access conditions that a node would not accept. */
  INVALID_CONDITION: { problems: readonly [ConditionProblem, ...ConditionProblem[]] };
  /** Two files would have the same name. */
  DUPLICATE_NAME: { name: string; first: string };
  /** The call requires an API key. */
  MISSING_API_KEY: NoDetails;
  /** The call requires a signer, or an address and a token. */
  MISSING_OWNER: NoDetails;
  /** A signature cannot authenticate several files. */
  NOT_A_JWT: NoDetails;
  /** The file exceeds the limit of the format, or an upload that of its endpoint. */
  FILE_TOO_LARGE: { limit: number; name?: string; size?: number };
  /** An upload endpoint does not accept the request or one of its files. */
  UPLOAD_REFUSED: {
    reason: "access" | "origin" | "count" | "type";
    limit?: number;
    types?: readonly string[];
    name?: string;
  };
  // the source changed or could not be read while it was sent
  /** The file changed while it was read. */
  SOURCE_CHANGED: { name: string; expectedBytes: number; gotBytes: number };
  /** The file could not be read. */
  SOURCE_UNREADABLE: { name: string; path: string; code?: string };
  // transport
  /** The signal fired. */
  ABORTED: NoDetails;
  /** A time limit passed, or nothing moved for too long. */
  TIMEOUT: RequestFacts & { timeoutMs?: number; idleMs?: number };
  /** The connection failed, or a body was truncated. */
  NETWORK: RequestFacts & { status?: number };
  /** A service refused the request. */
  HTTP_STATUS: StatusFacts;
  /** The response is not JSON. */
  INVALID_JSON: RequestFacts & { status: number };
  /** The response has another shape than expected. */
  INVALID_RESPONSE: Partial<RequestFacts>;
  /** The response exceeds what is accepted. */
  RESPONSE_TOO_LARGE: Partial<RequestFacts> & { limitBytes?: number; bytes?: number };
  /** The file is in no deal yet. */
  PROOF_NOT_READY: StatusFacts;
  /** There is no usable price. */
  TICKER_FAILED: Partial<RequestFacts> & { symbol: string };
  // keys
  /** The key nodes did not accept the signature. */
  INVALID_SIGNATURE: { step?: string };
  /** The signer did not sign. */
  SIGNATURE_REJECTED: NoDetails;
  /** A service requested a signature of a message that is not a known sign-in message. */
  UNEXPECTED_MESSAGE: { excerpt: string; length: number };
  /** The key nodes do not know the CID. */
  CID_NOT_FOUND: { cid: string; nodes: readonly NodeFailure[] };
  /** A key node refused the call. */
  NODE_REFUSED: StatusFacts;
  /** Too few key nodes returned a shard. */
  NODES_FAILED: { needed: number; got: number; nodes: readonly NodeFailure[] };
  /** The shards do not restore a key. */
  CANNOT_RECOVER_KEY: NoDetails;
  /** The key is wrong or the file was modified. */
  CANNOT_DECRYPT: NoDetails;
  /** The files are stored; some key nodes do not have their shards yet. */
  SHARDS_NOT_SAVED: NoDetails;
  /** Some key nodes have another owner for the file. */
  NOT_OWNER: { cid: string };
  // recovery
  /** The files are stored and their keys are saved; the recovery entry is not written. */
  RECOVERY_NOT_WRITTEN: NoDetails;
  /** The file is not a recovery kit. */
  INVALID_KIT: { file: string; line?: number };
  /** The recovery kit does not hold the key of the file. */
  NOT_IN_KIT: { cid: string };
  /** Too few shards agree on the key to read a part of the file with it. */
  KEY_NOT_PROVED: { cid: string };
  /** The key is not the one that was committed to. */
  COMMITMENT_MISMATCH: { cid: string };
  /** The URL is not a share link. */
  INVALID_LINK: NoDetails;
  // what was checked against its hashes
  /** The proof does not hold. */
  PROOF_INVALID: { field?: string; dealId?: number | string };
  /** The bytes have another CID than the one from the network. */
  CID_MISMATCH: {
    expected: string;
    got?: string;
    /** The gateway that sent them. */
    url?: string;
    /** Which bytes of the file, from the first one to the one after the last, if it is known. */
    from?: number;
    to?: number;
    name?: string;
    problem?: string;
  };
  /** There is nothing at this path in the folder. */
  PATH_NOT_FOUND: { cid: string; path: string };
  // payment
  /** The chain is not in the table. */
  UNSUPPORTED_NETWORK: { networks: readonly string[]; network?: string; nearest?: string; retired?: true };
  /** No token was named. */
  MISSING_TOKEN: NoDetails;
  /** Nobody to pay was named. */
  MISSING_PRIVATE_KEY: NoDetails;
  /** The chain or its contract does not take the token. */
  TOKEN_NOT_SUPPORTED: { token: string; tokens?: readonly string[]; nearest?: string };
  /** The payment exceeds `maxAmount`. */
  PAYMENT_ABOVE_LIMIT: { amount: string; maxAmount: string };
  /** The network fees exceed `maxFee`. */
  FEE_TOO_HIGH: { step: string; asset: string; fee: string; maxFee: string };
  /** The node or wallet is on another chain. */
  WRONG_CHAIN: { expected: number; got: string };
  /** There is no payment contract at the address. */
  WRONG_CONTRACT: { address: string };
  /** The payer has too little. */
  INSUFFICIENT_FUNDS: { asset: string; needed: string; available: string };
  /** The allowance is too small after the approval. */
  APPROVAL_FAILED: { allowance: string; amount: string };
  /** The node of the chain refused a call. */
  RPC_REFUSED: {
    method: string;
    reason: string;
    rpcCode?: number;
    data?: string;
    status?: number;
    retryAfterSeconds?: number;
  };
  /** The wallet rejected a transaction. */
  PAYMENT_REJECTED: { step: string };
  /** A transaction of the payment reverted. */
  PAYMENT_REVERTED: TransactionFacts & { reason: string; error?: string };
  /** Less arrived than was sent. */
  PAYMENT_UNDERPAID: TransactionFacts & { amount: string; received: string };
  /** The chain no longer knows the transaction. */
  PAYMENT_DROPPED: TransactionFacts;
  /** Another transaction has its nonce. */
  PAYMENT_REPLACED: TransactionFacts & { replacementHash?: string };
  /** The caller cancelled the transaction. */
  PAYMENT_CANCELLED: TransactionFacts & { cancelHash: string };
  /** The block of the transaction is no longer in the chain. */
  PAYMENT_REORGANISED: TransactionFacts;
  /** The transaction is not confirmed in time. */
  PAYMENT_TIMEOUT: TransactionFacts & { waitMs: number };
  /** The transaction that was reported does not make the payment. */
  PAYMENT_MISMATCH: TransactionFacts & { paidBy?: string; field?: string; expected?: string; got?: string };
  /** Whether the payment was made is unknown. */
  PAYMENT_UNKNOWN: TransactionFacts;
  /** The chain does not have the transaction. */
  PAYMENT_NOT_FOUND: { hash: string };
  /** Too few blocks confirm the transaction. */
  PAYMENT_UNCONFIRMED: { hash: string; confirmations: number; needed: number };
  // this machine
  /** The result could not be written. */
  CANNOT_WRITE: { path: string; code?: string };
  /** Other users can read the journal's key file. */
  JOURNAL_KEY_EXPOSED: { path: string; mode: string };
  /** Nothing that was passed opens the journal. */
  JOURNAL_LOCKED: { place: string; slots: readonly string[] };
  /** A file or an entry of the journal was modified. */
  JOURNAL_DAMAGED: { what: string };
  /** The database of the journal was deleted while it was open. */
  JOURNAL_CLOSED: { place: string };
  /** Another process or page is working on the operation. */
  JOURNAL_ENTRY_BUSY: { id: string };
  /** The operation was completed or discarded. */
  JOURNAL_ENTRY_UNKNOWN: { id: string };
  /** Somebody has undone what an interrupted operation did, or a node had confirmed what it did not do: it is over. */
  OPERATION_UNDONE: { id: string };
  /** The wallet's signatures would not open the journal again. */
  WALLET_UNSUITABLE: { address: string };
  /** This runtime cannot do it. */
  UNSUPPORTED: NoDetails;
}

/** Stable names of everything that can go wrong: switch on these, not on messages. */
export type ErrorCode = keyof ErrorDetails;

/** The facts of an error with this code, and any others by name. */
export type DetailsOf<Code extends ErrorCode> = Readonly<ErrorDetails[Code] & Record<string, unknown>>;
