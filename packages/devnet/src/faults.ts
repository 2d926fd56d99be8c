import { checkKeys, checkOneOf, checkOptional, isAtLeast, isRecordOf, isWhole } from "./check-options.ts";

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

/** The properties of a request that faults match. */
interface RequestProperties {
  service: Fault["service"];
  node: number | undefined;
  gateway: number | undefined;
  method: string;
  path: string;
}

/** The active faults. */
export interface FaultBook {
  /**
   * Adds a fault and returns a function that removes it.
   *
   * @throws DevnetError `INVALID_OPTION`
   */
  add(fault: Fault): () => void;
  /** Removes all faults. */
  clear(): void;
  /** Returns the action of the first fault that hits the request, and counts the request for `after` and `times`. */
  strike(request: RequestProperties): FaultAction | undefined;
}

interface ActiveFault {
  fault: Fault;
  matched: number;
  applied: number;
}

/** Creates a book with the faults `initial`. Faults apply in the order in which they were added. */
export function createFaultBook(initial: readonly Fault[]): FaultBook {
  let active: ActiveFault[] = initial.map(track);
  return {
    add(fault) {
      checkFault("fault", fault);
      const entry = track(fault);
      active.push(entry);
      return () => {
        active = active.filter((other) => other !== entry);
      };
    },
    clear() {
      active = [];
    },
    strike(request) {
      for (const entry of active) {
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

function track(fault: Fault): ActiveFault {
  return { fault, matched: 0, applied: 0 };
}

function matches(fault: Fault, request: RequestProperties): boolean {
  if (fault.service !== request.service) return false;
  if (fault.node !== undefined && fault.node !== request.node) return false;
  if (fault.gateway !== undefined && fault.gateway !== request.gateway) return false;
  if (fault.method === undefined ? request.method === "OPTIONS" : fault.method.toUpperCase() !== request.method)
    return false;
  if (fault.path === undefined) return true;
  // `search` ignores the `lastIndex` of a global or sticky expression
  return typeof fault.path === "string" ? request.path.startsWith(fault.path) : request.path.search(fault.path) !== -1;
}

const services = Object.keys({
  api: true,
  upload: true,
  gateway: true,
  keyNodes: true,
} satisfies Record<Service, true>);

const faultFields = Object.keys({
  service: true,
  node: true,
  gateway: true,
  method: true,
  path: true,
  after: true,
  times: true,
  action: true,
} satisfies Record<keyof Fault, true>);

type FieldsOf<Kind> = Exclude<keyof Extract<FaultAction, { kind: Kind }>, "kind">;

/** The fields of each kind of action, besides `kind`. */
const actionFields: { [Kind in FaultAction["kind"]]: readonly FieldsOf<Kind>[] } = {
  reset: ["afterBytes"],
  delay: ["ms"],
  hang: [],
  respond: ["status", "json", "text", "headers", "served"],
  cut: ["atByte"],
  "wrong-shard": [],
};

/**
 * Refuses a fault that would have no effect, or another one than intended.
 *
 * @param path of the fault in the options, for the message.
 * @throws DevnetError `INVALID_OPTION` for an unknown field, service or kind, or a value of the wrong type.
 */
export function checkFault(path: string, fault: Fault): void {
  checkKeys(path, fault, faultFields);
  const { service, node, gateway, method, path: pattern, after, times, action } = fault;
  checkOneOf(`${path}.service`, service, services);
  const isKeyNodes = service === "keyNodes";
  checkOptional(`${path}.node`, node, isKeyNodes && isWhole(node, 1, 5), "1 to 5, with the service keyNodes");
  const isGateway = service === "gateway" && isWhole(gateway, 0);
  checkOptional(`${path}.gateway`, gateway, isGateway, "a whole number from 0 up, with the service gateway");
  checkOptional(`${path}.method`, method, typeof method === "string", "a string");
  const matches = typeof pattern === "string" || pattern instanceof RegExp;
  checkOptional(`${path}.path`, pattern, matches, "a string or a regular expression");
  checkOptional(`${path}.after`, after, isWhole(after, 0), "a whole number from 0 up");
  const counted = times === Number.POSITIVE_INFINITY || isWhole(times, 0);
  checkOptional(`${path}.times`, times, counted, "a whole number from 0 up");
  checkAction(`${path}.action`, action);
  checkOptional(
    `${path}.action.kind`,
    action.kind,
    isKeyNodes || action.kind !== "wrong-shard",
    "wrong-shard with keyNodes only",
  );
}

function checkAction(path: string, action: FaultAction): void {
  const kinds = Object.keys(actionFields);
  checkKeys(path, action, ["kind", ...Object.values(actionFields).flat()]);
  checkOneOf(`${path}.kind`, action.kind, kinds);
  checkKeys(path, action, ["kind", ...actionFields[action.kind]]);
  switch (action.kind) {
    case "reset":
      checkOptional(`${path}.afterBytes`, action.afterBytes, isAtLeast(action.afterBytes, 0), BYTES);
      break;
    case "delay":
      checkOptional(`${path}.ms`, action.ms ?? null, isAtLeast(action.ms, 0), "milliseconds, from 0 up");
      break;
    case "cut":
      checkOptional(`${path}.atByte`, action.atByte ?? null, isAtLeast(action.atByte, 0), BYTES);
      break;
    case "respond":
      checkRespond(path, action);
      break;
  }
}

function checkRespond(path: string, { status, text, headers, served }: FaultAction & { kind: "respond" }): void {
  checkOptional(`${path}.status`, status, isWhole(status, 200, 599), "an HTTP status from 200 to 599");
  checkOptional(`${path}.text`, text, typeof text === "string", "a string");
  const strings = isRecordOf(headers, (value) => typeof value === "string");
  checkOptional(`${path}.headers`, headers, strings, "an object of strings");
  checkOptional(`${path}.served`, served, typeof served === "boolean", "true or false");
}

const BYTES = "a number of bytes, from 0 up";
