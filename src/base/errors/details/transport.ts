import type { NoDetails, RequestFacts, StatusFacts } from "../facts.ts";

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
  };
}
