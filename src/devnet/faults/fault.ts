/** The four services, named as in `Endpoints`. */
export type Service = "api" | "upload" | "gateway" | "keyNodes";

/** What a fault does to a request it hits. */
export type FaultAction =
  /** Resets the connection; with `afterBytes`, once that many bytes of the request's body have come in. */
  | { kind: "reset"; afterBytes?: number }
  /** Waits, then serves the request as usual. In milliseconds. */
  | { kind: "delay"; ms: number }
  /** Takes the request and never answers. */
  | { kind: "hang" }
  /**
   * Answers this instead: `json` is any value, `text` is sent as it is (an HTML page, garbage, a JSON
   * text cut in half). `status` defaults to 200.
   */
  | { kind: "respond"; status?: number; json?: unknown; text?: string; headers?: Readonly<Record<string, string>> }
  /** Serves the request, and ends the connection after this many bytes of the answer's body. */
  | { kind: "cut"; atByte: number }
  /** A key node gives a shard that looks right and is not. */
  | { kind: "lie" };

/** Something broken on purpose: which requests it hits, how often, and what it does to them. */
export interface Fault {
  /** The service whose requests it hits. */
  service: Service;
  /** Only this key node, 1 to 5. Default any. */
  node?: number;
  /** Only this method. Default any but `OPTIONS`, so that a page gets as far as its real request. */
  method?: string;
  /** Only paths that begin with this, or that match it; the query is part of the path. Default any. */
  path?: string | RegExp;
  /** How many matching requests pass untouched first. Default 0. */
  after?: number;
  /** How many requests it hits before it expires. Default: all. */
  times?: number;
  /** What it does to them. */
  action: FaultAction;
}
