/** The four services, named as in `Endpoints`. */
export type Service = "api" | "upload" | "gateway" | "keyNodes";

/** What a fault does to a request it hits. */
export type FaultAction =
  /** Resets the connection. */
  | {
      kind: "reset";
      /** How many bytes of the request's body have to arrive first. Default: none. */
      afterBytes?: number;
    }
  /** Waits, then serves the request. */
  | {
      kind: "delay";
      /** How long to wait, in milliseconds. */
      ms: number;
    }
  /** Accepts the request and never responds. */
  | { kind: "hang" }
  /** Responds with this, instead of what the service would. */
  | {
      kind: "respond";
      /** HTTP status. Default 200. */
      status?: number;
      /** Any value, sent as JSON. Default: no body. */
      json?: unknown;
      /** A body that is sent unchanged: an HTML page, garbage, truncated JSON. Default: no body. */
      text?: string;
      /** Headers of the response, by name. Default: those of its body. */
      headers?: Readonly<Record<string, string>>;
      /** Serve the request first: an upload is stored, a key is saved. Default false. */
      served?: boolean;
    }
  /** Serves the request, and closes the connection in the middle of the response's body. */
  | {
      kind: "cut";
      /** After how many bytes of the body. */
      atByte: number;
    }
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
