/** The four services, named as in `Endpoints`. */
export type Service = "api" | "upload" | "gateway" | "keyNodes";

/** What a fault does to a request it hits. */
export type FaultAction =
  /** Resets the connection; with `afterBytes`, after that many bytes of the request's body have arrived. */
  | { kind: "reset"; afterBytes?: number }
  /** Waits `ms` milliseconds, then serves the request. */
  | { kind: "delay"; ms: number }
  /** Accepts the request and never responds. */
  | { kind: "hang" }
  /**
   * Responds with this instead: `json` is any value, `text` is sent unchanged (an HTML page, garbage, truncated JSON).
   * `status` defaults to 200.
   */
  | { kind: "respond"; status?: number; json?: unknown; text?: string; headers?: Readonly<Record<string, string>> }
  /** Serves the request, and closes the connection after this many bytes of the response's body. */
  | { kind: "cut"; atByte: number }
  /** A key node returns a wrong shard with a valid format. */
  | { kind: "wrong-shard" };

/** A deliberate fault: which requests it hits, how often, and what it does to them. */
export interface Fault {
  /** The service whose requests it hits. */
  service: Service;
  /** Only this key node, 1 to 5. Default any. */
  node?: number;
  /** Only this gateway, by its index in the devnet's `gateways`. Default any. */
  gateway?: number;
  /** Only this method. Default any but `OPTIONS`, so that a page reaches its actual request. */
  method?: string;
  /** Only paths that start with this, or that match it; the query is part of the path. Default any. */
  path?: string | RegExp;
  /** How many matching requests are served normally first. Default 0. */
  after?: number;
  /** How many requests it hits before it expires. Default: all. */
  times?: number;
  /** What it does to them. */
  action: FaultAction;
}
