import type { Service } from "../faults/fault.ts";

/** One request that came in; bodies, headers and tokens are not kept. */
export interface LoggedRequest {
  /** The service that was asked. */
  service: Service;
  /** In upper case. */
  method: string;
  /** Path and query. */
  path: string;
  /** Key node 1 to 5, for calls to a single one. */
  node: number | undefined;
  /** Status of the answer; 0 while there is none, and for good if the connection ended without one. */
  status: number;
  /** Milliseconds since the devnet started. */
  startedAt: number;
  /** Milliseconds since the devnet started; `undefined` while the request is under way. */
  endedAt: number | undefined;
}

/** Requests kept; older ones are forgotten. */
const KEPT = 20_000;

/** The requests that came in, oldest first. */
export interface RequestLog {
  begin(request: Pick<LoggedRequest, "service" | "method" | "path" | "node">): (status: number) => void;
  entries(): readonly LoggedRequest[];
}

/** Makes an empty log. */
export function createRequestLog(): RequestLog {
  const start = performance.now();
  const log: LoggedRequest[] = [];
  return {
    begin(request) {
      const entry: LoggedRequest = { ...request, status: 0, startedAt: performance.now() - start, endedAt: undefined };
      log.push(entry);
      // in big steps, since each one moves the whole list
      if (log.length > 2 * KEPT) log.splice(0, KEPT);
      return (status) => {
        entry.status = status;
        entry.endedAt = performance.now() - start;
      };
    },
    entries: () => log.slice(-KEPT).map((entry) => ({ ...entry })),
  };
}
