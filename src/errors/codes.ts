import type { ConditionProblem, NodeFailure, RequestFacts, TransactionFacts } from "./facts.ts";

/** No facts beyond the code and the message. */
type NoDetails = Record<never, never>;

/** What a service responded. */
interface StatusFacts extends RequestFacts {
  status: number;
  /** What the service said, shortened and without secrets. */
  serverMessage?: string;
  /** `Retry-After`, if the service sent one. */
  retryAfterSeconds?: number;
}

/** The facts that each error carries, by its code. Errors may carry more, such as those of a call that can be resumed. */
export interface ErrorDetails {
  // input, refused before anything is sent
  INVALID_CID: { cid: string };
  INVALID_ADDRESS: { address: string; position?: number };
  INVALID_KEY: NoDetails;
  INVALID_SHARDS: { position?: number };
  INVALID_OPTION: { option?: string; nearest?: string };
  INVALID_SOURCE: { name?: string };
  INVALID_CONDITION: { problems: readonly ConditionProblem[] };
  DUPLICATE_NAME: { name: string; first: string };
  MISSING_API_KEY: NoDetails;
  MISSING_OWNER: NoDetails;
  NOT_A_JWT: NoDetails;
  FILE_TOO_LARGE: { limit: number; name?: string; size?: number };
  // the source changed or could not be read while it was sent
  SOURCE_CHANGED: { name: string; expectedBytes: number; gotBytes: number };
  SOURCE_UNREADABLE: { name: string; path: string; code?: string };
  // transport
  ABORTED: NoDetails;
  TIMEOUT: RequestFacts & { timeoutMs?: number; idleMs?: number };
  NETWORK: RequestFacts & { status?: number };
  HTTP_STATUS: StatusFacts;
  INVALID_JSON: RequestFacts & { status: number };
  INVALID_RESPONSE: Partial<RequestFacts>;
  RESPONSE_TOO_LARGE: Partial<RequestFacts> & { limitBytes?: number; bytes?: number };
  PROOF_NOT_READY: StatusFacts;
  TICKER_FAILED: Partial<RequestFacts> & { symbol: string };
  // keys
  INVALID_SIGNATURE: { step?: string };
  SIGNATURE_REJECTED: NoDetails;
  UNEXPECTED_MESSAGE: { excerpt: string; length: number };
  CID_NOT_FOUND: { cid: string; nodes: readonly NodeFailure[] };
  NODE_REFUSED: StatusFacts;
  NODES_FAILED: { needed: number; got: number; nodes: readonly NodeFailure[] };
  CANNOT_RECOVER_KEY: NoDetails;
  CANNOT_DECRYPT: NoDetails;
  SHARDS_NOT_SAVED: NoDetails;
  NOT_OWNER: { cid: string };
  // what was checked against its hashes
  PROOF_INVALID: { field?: string; dealId?: number | string };
  CID_MISMATCH: { expected: string; got: string; name?: string; problem?: string };
  // payment
  UNSUPPORTED_NETWORK: { networks: readonly string[]; network?: string; nearest?: string };
  MISSING_TOKEN: NoDetails;
  MISSING_PRIVATE_KEY: NoDetails;
  TOKEN_NOT_SUPPORTED: { token: string; tokens?: readonly string[]; nearest?: string };
  PAYMENT_ABOVE_LIMIT: { amount: string; maxAmount: string };
  FEE_TOO_HIGH: { step: string; asset: string; fee: string; maxFee: string };
  WRONG_CHAIN: { expected: number; got: string };
  WRONG_CONTRACT: { address: string };
  INSUFFICIENT_FUNDS: { asset: string; needed: string; available: string };
  APPROVAL_FAILED: { allowance: string; amount: string };
  RPC_REFUSED: { method: string; reason: string; rpcCode?: number; data?: string };
  PAYMENT_REJECTED: { step: string };
  PAYMENT_REVERTED: TransactionFacts & { reason: string; error?: string };
  PAYMENT_UNDERPAID: TransactionFacts & { amount: string; received: string };
  PAYMENT_DROPPED: TransactionFacts;
  PAYMENT_REPLACED: TransactionFacts & { replacementHash?: string };
  PAYMENT_REORGANISED: TransactionFacts;
  PAYMENT_TIMEOUT: TransactionFacts & { waitMs: number };
  PAYMENT_UNKNOWN: TransactionFacts;
  // this machine
  CANNOT_WRITE: { path: string; code?: string };
  UNSUPPORTED: NoDetails;
}

/** Stable names of everything that can go wrong: switch on these, not on messages. */
export type ErrorCode = keyof ErrorDetails;

/** The facts of an error with this code, and any others by name. */
export type DetailsOf<Code extends ErrorCode> = Readonly<ErrorDetails[Code] & Record<string, unknown>>;
