import type { NoDetails, TransactionFacts } from "./input-and-requests.ts";

/** Which payment of an upload, or of its renewal, it is about. */
export interface UploadPaymentFacts {
  /** Base URL of the service that is paid. */
  service: string;
  /** Names what is paid for: the content id of a file, unless an option named it, or it is encrypted. */
  orderId: string;
  /** Address that pays, lower-case. */
  payer: string;
  /** As in EIP-155. */
  chainId: number;
  /** Of the authorization (EIP-3009): a hash of service, payer and order. The chain carries out one for each. */
  nonce: string;
  /** Hash of the transaction that paid, as the chain shows it, or else as the service reports it. Absent if neither does. */
  transaction?: string | undefined;
}

/** Facts of payments. Amounts are decimal strings: JSON has no big integers. */
export interface PaymentDetails {
  /** The chain is not in the table. */
  UNSUPPORTED_NETWORK: {
    /** Names of the supported chains. */
    networks: readonly string[];
    /** What was passed, if it is a name. */
    network?: string;
    /** The known name that is most like it. */
    nearest?: string;
    /** Set if the chain has been shut down. */
    retired?: true;
  };
  /** No token was named. */
  MISSING_TOKEN: NoDetails;
  /** Nobody to pay was named. */
  MISSING_PRIVATE_KEY: NoDetails;
  /** The chain or its contract does not take the token. */
  TOKEN_NOT_SUPPORTED: {
    /** The token that was passed. */
    token: string;
    /** The tokens that the chain takes. */
    tokens?: readonly string[];
    /** The known name that is most like it. */
    nearest?: string;
  };
  /** The payment exceeds `maxAmount`. */
  PAYMENT_ABOVE_LIMIT: {
    /** What is to be paid, in the token's smallest unit. */
    amount: string;
    /** The limit, in the same unit. */
    maxAmount: string;
  };
  /** The network fees exceed `maxFee`. */
  FEE_TOO_HIGH: {
    /** The transaction whose fee exceeds the limit. */
    step: string;
    /** Symbol of the coin in which fees are paid. */
    asset: string;
    /** The most that all transactions could cost, in the coin's smallest unit. */
    fee: string;
    /** The limit, in the same unit. */
    maxFee: string;
  };
  /** The node or wallet is on another chain. */
  WRONG_CHAIN: {
    /** Chain id of the payment. */
    expected: number;
    /** Chain id of the node or wallet, as it reported it. */
    got: string;
  };
  /** There is no payment contract at the address. */
  WRONG_CONTRACT: {
    /** Address of the contract. */
    address: string;
  };
  /** The payer has too little. */
  INSUFFICIENT_FUNDS: {
    /** The coin or token. */
    asset: string;
    /** What the payment needs, in the smallest unit. */
    needed: string;
    /** What the payer has, in the same unit. */
    available: string;
  };
  /** The allowance is too small after the approval. */
  APPROVAL_FAILED: {
    /** What the contract may take, in the token's smallest unit. */
    allowance: string;
    /** What it has to take, in the same unit. */
    amount: string;
  };
  /** The node of the chain refused a call. */
  RPC_REFUSED: {
    /** The JSON-RPC method. */
    method: string;
    /** The node's message, shortened and without secrets. */
    reason: string;
    /** Error code of JSON-RPC. */
    rpcCode?: number;
    /** What a contract reverted with, in hex. */
    data?: string;
    /** HTTP status, if it was not 200. */
    status?: number;
    /** `Retry-After`, if the node sent one. */
    retryAfterSeconds?: number;
  };
  /** The wallet rejected a transaction. */
  PAYMENT_REJECTED: {
    /** The transaction that was not signed. */
    step: string;
  };
  /** A transaction of the payment reverted. */
  PAYMENT_REVERTED: TransactionFacts & {
    /** Why, in words. */
    reason: string;
    /** Name of the contract's error. */
    error?: string;
  };
  /** Less arrived than was sent. */
  PAYMENT_UNDERPAID: TransactionFacts & {
    /** What was to be paid, in the token's smallest unit. */
    amount: string;
    /** What the contract received, in the same unit. */
    received: string;
  };
  /** The chain no longer knows the transaction. */
  PAYMENT_DROPPED: TransactionFacts;
  /** Another transaction has its nonce. */
  PAYMENT_REPLACED: TransactionFacts & {
    /** The transaction that has its nonce; absent if no node showed it. */
    replacementHash?: string;
  };
  /** The caller cancelled the transaction. */
  PAYMENT_CANCELLED: TransactionFacts & {
    /** The transaction that cancelled it. */
    cancelHash: string;
  };
  /** The block of the transaction is no longer in the chain. */
  PAYMENT_REORGANISED: TransactionFacts;
  /** The transaction is not confirmed in time. */
  PAYMENT_TIMEOUT: TransactionFacts & {
    /** How long it was waited for, in milliseconds. */
    waitMs: number;
  };
  /** The transaction that was reported does not make the payment. */
  PAYMENT_MISMATCH: TransactionFacts & {
    /** The account that paid instead. */
    paidBy?: string;
    /** What differs: `contract`, `token`, `sender`, `logIndex`, `mark`, `block`, `nonce` or `amount`. */
    field?: string;
    /** What was expected of it. */
    expected?: string;
    /** What it is in the transaction. */
    got?: string;
  };
  /** Whether the order was paid before cannot be seen; nothing is signed. */
  ORDER_UNCERTAIN: {
    /** Numbers of the blocks whose events were searched; `null` if none were. */
    searched: {
      /** The first of them. */
      fromBlock: number;
      /** The last of them. */
      toBlock: number;
    } | null;
    /** Hashes of payments that may be the order's. */
    hashes: readonly string[];
  };
  /** Nothing is started for the order any more. */
  ORDER_EXPIRED: {
    /** When it expired, in ISO 8601. */
    expiresAt: string;
  };
  /** The payer has transactions on their way that may be this payment; nothing is signed. */
  PAYER_BUSY: {
    /** How many of the payer's transactions are mined. */
    mined: number;
    /** How many the node knows, pending ones included. */
    pending: number;
  };
  /** Whether the payment was made is unknown. */
  PAYMENT_UNKNOWN: TransactionFacts;
  /** The chain does not have the transaction. */
  PAYMENT_NOT_FOUND: {
    /** Hash of the transaction. */
    hash: string;
  };
  /** Too few blocks confirm the transaction. */
  PAYMENT_UNCONFIRMED: {
    /** Hash of the transaction. */
    hash: string;
    /** Number of blocks that confirm it; 0 if it is in none. */
    confirmations: number;
    /** Number of blocks that have to. */
    needed: number;
  };
  /** A service requests to be paid on another chain, in another token or in another way. Nothing is signed. */
  UNEXPECTED_PAYMENT: {
    /** What the call pays: scheme, chain and token. */
    expected: string;
    /** What the service requests instead, shortened. */
    got: string;
  };
  /** A service did not take the payment of an upload, as far as the chain shows. Its signature may still be valid. */
  PAYMENT_NOT_TAKEN: {
    /** Which payment. */
    payment: UploadPaymentFacts;
    /** Why, as the service says. */
    reason?: string | undefined;
  };
  /** An upload was paid for, and is not stored as far as the network shows. */
  PAID_NOT_STORED: {
    /** Which payment. */
    payment: UploadPaymentFacts;
  };
}
