/** Facts about a request that may be shown to anyone. */
export interface RequestFacts {
  /** HTTP method, or the method of a JSON-RPC call. */
  method: string;
  /** Origin and path, without query and credentials. */
  url: string;
  /** Number of the key node, 1 to 5, if the request was sent to one. */
  node?: number;
}

/** No facts beyond the code and the message. */
export type NoDetails = Record<never, never>;

/** What a service responded. */
export interface StatusFacts extends RequestFacts {
  /** HTTP status. */
  status: number;
  /** The service's message, shortened and without secrets. */
  serverMessage?: string;
  /** `Retry-After`, if the service sent one. */
  retryAfterSeconds?: number;
  /** What to do about a gateway's refusal. */
  advice?: string;
}

/** Why one key node failed. */
export interface NodeFailure {
  /** 1 to 5. */
  node: number;
  /** As in a {@link KeeplightError}. */
  code: string;
  /** The node's own message if it responded. */
  message: string;
}

/** Facts about a transaction that anyone may see on the chain. Amounts are decimal strings: JSON has no big integers. */
export type TransactionFacts = {
  /** What it was for. */
  step: string;
  /** Absent if the wallet did not report it. */
  hash?: string | undefined;
  /** Of the transaction in an explorer. */
  link?: string | undefined;
};

/** One thing that is wrong with access conditions. */
export interface ConditionProblem {
  /** Place in the list of conditions, from 0; absent if the problem is not one condition's. */
  position?: number;
  /** The condition's id, if it has one. */
  id?: number;
  /** What is wrong: a field of the condition, such as `returnValueTest.comparator`, or of the call. */
  field: string;
  /** What is expected of it: "must be …". */
  expected: string;
}
