import { checkFault } from "./check-fault.ts";
import type { Fault, FaultAction } from "./fault.ts";

/** What a fault can tell requests apart by. */
type FaultSubject = { service: Fault["service"]; node: number | undefined; method: string; path: string };

/** The faults that hold at the moment. */
export interface FaultBook {
  /**
   * Adds a fault; the function that comes back takes it away again.
   *
   * @throws KeeplightError `INVALID_OPTION`
   */
  add(fault: Fault): () => void;
  /** Takes all faults away. */
  clear(): void;
  /** The action of the first fault that hits this request, counting the request for `after` and `times`. */
  strike(subject: FaultSubject): FaultAction | undefined;
}

interface Held {
  fault: Fault;
  seen: number;
  struck: number;
}

/** Makes a book that begins with `initial`. Faults added first strike first. */
export function createFaultBook(initial: readonly Fault[]): FaultBook {
  let held: Held[] = initial.map(hold);
  return {
    add(fault) {
      checkFault("fault", fault);
      const entry = hold(fault);
      held.push(entry);
      return () => {
        held = held.filter((other) => other !== entry);
      };
    },
    clear() {
      held = [];
    },
    strike(subject) {
      for (const entry of held) {
        const { fault } = entry;
        if (!hits(fault, subject) || entry.struck >= (fault.times ?? Number.POSITIVE_INFINITY)) continue;
        entry.seen++;
        if (entry.seen <= (fault.after ?? 0)) continue;
        entry.struck++;
        return fault.action;
      }
      return undefined;
    },
  };
}

function hold(fault: Fault): Held {
  return { fault, seen: 0, struck: 0 };
}

function hits(fault: Fault, subject: FaultSubject): boolean {
  if (fault.service !== subject.service) return false;
  if (fault.node !== undefined && fault.node !== subject.node) return false;
  if (fault.method === undefined ? subject.method === "OPTIONS" : fault.method.toUpperCase() !== subject.method)
    return false;
  if (fault.path === undefined) return true;
  // `search` ignores the state that a global or sticky expression keeps between calls
  return typeof fault.path === "string" ? subject.path.startsWith(fault.path) : subject.path.search(fault.path) !== -1;
}
