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

/** Facts of invalid input, which is refused before anything is sent, and of sources that cannot be read. */
export interface InputDetails {
  /** Not a CID. */
  INVALID_CID: {
    /** What was passed. */
    cid: string;
    /** What to pass instead, if it shows what was passed by mistake. */
    advice?: string;
  };
  /** Not an EVM or base58 address. */
  INVALID_ADDRESS: {
    /** What was passed. */
    address: string;
    /** Its place in the list of addresses, from 0. */
    position?: number;
    /** How it is spelled if all of its digits are right: set if only its checksum (EIP-55) is wrong. */
    expected?: string;
  };
  /** Not a key that can be split or used. */
  INVALID_KEY: NoDetails;
  /** Not the shards of one key. */
  INVALID_SHARDS: {
    /** Place of the invalid shard in the list, from 0; absent if no single one is. */
    position?: number;
  };
  /** An option that is unknown, missing or malformed. */
  INVALID_OPTION: {
    /** Name of the option, with the path to it if it is nested: `endpoints.api`. */
    option?: string;
    /** The known name that is most like it. */
    nearest?: string;
    /** What kind of value was passed instead of an object of options. */
    received?: string;
  };
  /** Not something that can be uploaded. */
  INVALID_SOURCE: {
    /** Name of the file, if it has one. */
    name?: string;
  };
  /** Access conditions that a node would not accept. */
  INVALID_CONDITION: {
    /** Everything that is wrong with them. */
    problems: readonly [ConditionProblem, ...ConditionProblem[]];
  };
  /** Two files would have the same name. */
  DUPLICATE_NAME: {
    /** The name that both files would have. */
    name: string;
    /** The first of the two, as it was passed. */
    first: string;
  };
  /** The call requires an API key. */
  MISSING_API_KEY: NoDetails;
  /** The call requires a signer, or an address and a token. */
  MISSING_OWNER: NoDetails;
  /** A signature cannot authenticate several files. */
  NOT_A_JWT: NoDetails;
  /** The file exceeds the limit of the format, or an upload that of its endpoint. */
  FILE_TOO_LARGE: {
    /** Maximum number of bytes. */
    limit: number;
    /** Name of the file, if a single one is too large. */
    name?: string;
    /** Its number of bytes, if that is known. */
    size?: number;
  };
  /** The account has less room than the upload takes. */
  NO_ROOM: {
    /** The storage class, if the upload names one. */
    storage?: string | undefined;
    /** How many bytes the upload would store. */
    size: number;
    /** How many bytes the account may store. */
    limit: number;
    /** How many it has stored. */
    used: number;
  };
  /** An upload endpoint does not accept the request or one of its files. */
  UPLOAD_REFUSED: {
    /**
     * What it does not accept: the user, the origin of the page, the number of files, the type of one, a folder, or the
     * storage class.
     */
    reason: "access" | "origin" | "count" | "type" | "folder" | "storage";
    /** Maximum number of files, with `count`. */
    limit?: number;
    /** The accepted types, with `type`. */
    types?: readonly string[];
    /** Name of the file, with `type`. */
    name?: string;
  };
  /** The file changed while it was read. */
  SOURCE_CHANGED: {
    /** Name of the file. */
    name: string;
    /** Its size when it was opened. */
    expectedBytes: number;
    /** Number of bytes that were read. */
    gotBytes: number;
  };
  /** The file could not be read. */
  SOURCE_UNREADABLE: {
    /** Name of the file. */
    name: string;
    /** Its path, or its name if it has none. */
    path: string;
    /** The operating system's code, such as `ENOENT`. */
    code?: string;
  };
}

/** Facts of requests that failed, and of responses that cannot be used. */
export interface TransportDetails {
  /** The signal fired. */
  ABORTED: NoDetails;
  /** A time limit passed, or nothing moved for too long. */
  TIMEOUT: RequestFacts & {
    /** The time limit of the request, in milliseconds, if it passed. */
    timeoutMs?: number;
    /** The limit of time without progress, in milliseconds, if that passed. */
    idleMs?: number;
  };
  /** The connection failed, or a body was truncated. */
  NETWORK: RequestFacts & {
    /** HTTP status, if the response had started. */
    status?: number;
    /** Why, as the runtime says, such as `ECONNREFUSED`; pages do not learn it. */
    reason?: string;
  };
  /** A service refused the request. */
  HTTP_STATUS: StatusFacts;
  /** The response is not JSON, or JSON of far too many values. */
  INVALID_JSON: RequestFacts & {
    /** HTTP status of the response. */
    status: number;
  };
  /** The response has another shape than expected. */
  INVALID_RESPONSE: Partial<RequestFacts>;
  /** The response exceeds what is accepted. */
  RESPONSE_TOO_LARGE: Partial<RequestFacts> & {
    /** Maximum number of bytes. */
    limitBytes?: number;
    /** Number of bytes of the response; it may be larger. */
    bytes?: number;
  };
  /** A listing has more rows than the call accepts. All up to the limit were yielded before. */
  TOO_MANY_ROWS: {
    /** Maximum number of rows: the option. */
    maxRows: number;
  };
  /** The file is in no deal yet. */
  PROOF_NOT_READY: StatusFacts;
  /** There is no usable price. */
  TICKER_FAILED: Partial<RequestFacts> & {
    /** Symbol of the coin. */
    symbol: string;
    /** What the price service reports, in US dollars, if that is implausible. */
    ticker?: number;
    /** What the price feed on the chain reports instead, in US dollars. */
    feed?: number;
  };
}
