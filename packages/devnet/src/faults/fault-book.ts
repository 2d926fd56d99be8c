import { checkFault } from "./check-fault.ts";
import type { Fault, FaultAction } from "./fault.ts";

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
