import type { Service } from "../faults/fault.ts";

/** A received request; bodies, headers and tokens are not logged. */
export interface LoggedRequest {
  /** The requested service. */
  service: Service;
  /** In upper case. */
  method: string;
  /** Path and query. */
  path: string;
  /** Key node 1 to 5, for calls to a single one. */
  node: number | undefined;
  /** Index of the gateway in the devnet's `gateways`, for requests to one. */
  gateway: number | undefined;
  /** Status of the response; 0 while there is none, and permanently if the connection closed without one. */
  status: number;
  /** Milliseconds since the devnet started. */
  startedAt: number;
  /** Milliseconds since the devnet started; `undefined` while the request is pending. */
  endedAt: number | undefined;
}

/** Maximum requests in the log; older ones are dropped. */
const MAX_ENTRIES = 20_000;

/** The received requests, oldest first. */
export interface RequestLog {
  /** Logs a request; the returned function logs its response. */
  start(request: Pick<LoggedRequest, "service" | "method" | "path" | "node" | "gateway">): (status: number) => void;
  entries(): readonly LoggedRequest[];
}

/** Creates an empty log. */
export function createRequestLog(): RequestLog {
  const startTime = performance.now();
  const log: LoggedRequest[] = [];
  return {
    start(request) {
      const entry: LoggedRequest = {
        ...request,
        status: 0,
        startedAt: performance.now() - startTime,
        endedAt: undefined,
      };
      log.push(entry);
      // in large steps, since each one copies the whole list
      if (log.length > 2 * MAX_ENTRIES) log.splice(0, MAX_ENTRIES);
      return (status) => {
        entry.status = status;
        entry.endedAt = performance.now() - startTime;
      };
    },
    entries: () => log.slice(-MAX_ENTRIES).map((entry) => ({ ...entry })),
  };
}
