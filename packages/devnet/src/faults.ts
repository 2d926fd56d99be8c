import {
  type Checks,
  createActiveList,
  fieldsOf,
  flag,
  isAtLeast,
  isNode,
  isRecordOf,
  isString,
  isWhole,
  kindOf,
  oneOf,
  optional,
  required,
} from "./check-options.ts";

/** The six services, named as in `Endpoints`. */
export type Service = "api" | "upload" | "walrusUpload" | "x402" | "gateway" | "keyNodes";

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
  | { kind: "wrong-shard" }
  /** The service `x402` serves a request with a payment, and changes when, or whether, it is settled. */
  | {
      kind: "settle";
      /**
       * `early`: before the body is read; `early-and-fail`: the same, then nothing is stored, and the status is 500; `fail`:
       * never, the file is stored, and the status is 402; `late`: after the file is stored and the status is 500; `twice`: as
       * usual, then once more, which the chain reverts.
       */
      how: "early" | "early-and-fail" | "fail" | "late" | "twice";
      /** How long settlement waits, in milliseconds. Default 500 for `late`, else none. */
      delayMs?: number;
    };

/** How the service `x402` settles a payment. */
export type SettleAction = FaultAction & { kind: "settle" };

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

interface RequestProperties {
  service: Fault["service"];
  node: number | undefined;
  gateway: number | undefined;
  method: string;
  path: string;
  /** Whether it has a payment. */
  isPaid: boolean;
}

export type FaultBook = ReturnType<typeof createFaultBook>;

/** Creates a book with the faults `initial`. */
export function createFaultBook(initial: readonly Fault[]) {
  const track = (fault: Fault) => ({ fault, matched: 0, applied: 0 });
  const { listTracked, ...list } = createActiveList(initial, track, checkFault, "fault");
  return {
    ...list,
    /** Returns the action of the first fault that hits the request, and counts the request for `after` and `times`. */
    strike(request: RequestProperties): FaultAction | undefined {
      for (const entry of listTracked()) {
        const { fault } = entry;
        if (!matches(fault, request) || entry.applied >= (fault.times ?? Number.POSITIVE_INFINITY)) continue;
        entry.matched++;
        if (entry.matched <= (fault.after ?? 0)) continue;
        entry.applied++;
        return fault.action;
      }
      return undefined;
    },
  };
}

function matches(fault: Fault, request: RequestProperties): boolean {
  if (fault.service !== request.service) return false;
  if (fault.action.kind === "settle" && !request.isPaid) return false;
  if (fault.node !== undefined && fault.node !== request.node) return false;
  if (fault.gateway !== undefined && fault.gateway !== request.gateway) return false;
  if (fault.method === undefined ? request.method === "OPTIONS" : fault.method.toUpperCase() !== request.method)
    return false;
  if (fault.path === undefined) return true;
  // `search` ignores the `lastIndex` of a global or sticky expression
  return typeof fault.path === "string" ? request.path.startsWith(fault.path) : request.path.search(fault.path) !== -1;
}

const services: Record<Service, true> = {
  api: true,
  upload: true,
  walrusUpload: true,
  x402: true,
  gateway: true,
  keyNodes: true,
};

const settlements: Record<SettleAction["how"], true> = {
  early: true,
  "early-and-fail": true,
  fail: true,
  late: true,
  twice: true,
};

const bytes = isAtLeast(0);
const BYTES = "a number of bytes, from 0 up";
const count = optional(isWhole(0), "a whole number from 0 up");
const string = optional(isString, "a string");

const checkAction = kindOf({
  reset: { afterBytes: optional(bytes, BYTES) },
  delay: { ms: required(isAtLeast(0), "milliseconds, from 0 up") },
  hang: {},
  respond: {
    status: optional(isWhole(200, 599), "an HTTP status from 200 to 599"),
    json: () => {},
    text: string,
    headers: optional(isRecordOf(isString), "an object of strings"),
    served: flag,
  },
  cut: { atByte: required(bytes, BYTES) },
  "wrong-shard": {},
  settle: {
    how: oneOf(Object.keys(settlements)),
    delayMs: optional(isAtLeast(0), "milliseconds, from 0 up"),
  },
} satisfies { [Kind in FaultAction["kind"]]: Checks<Omit<Extract<FaultAction, { kind: Kind }>, "kind">> });

/** Throws `INVALID_OPTION` for a fault that would have no effect, or another one than intended. */
export const checkFault = fieldsOf({
  service: oneOf(Object.keys(services)),
  node: optional((n, { service }) => service === "keyNodes" && isNode(n), "1 to 5, with the service keyNodes"),
  gateway: optional(
    (index, { service }) => service === "gateway" && isWhole(0)(index),
    "a whole number from 0 up, with the service gateway",
  ),
  method: string,
  path: optional((path) => typeof path === "string" || path instanceof RegExp, "a string or a regular expression"),
  after: count,
  times: (path, times) => times === Number.POSITIVE_INFINITY || count(path, times),
  action(path, action, { service } = {}) {
    checkAction(path, action);
    const { kind } = action as FaultAction;
    for (const [own, only] of [
      ["wrong-shard", "keyNodes"],
      ["settle", "x402"],
    ]) {
      required(() => kind !== own || service === only, `${own} with ${only} only`)(`${path}.kind`, kind);
    }
  },
} satisfies Checks<Fault>);
