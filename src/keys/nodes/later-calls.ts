import { KeeplightError } from "../../base/errors/base.ts";
import { shared } from "../../base/shared.ts";
import type { StoredOperation } from "./call-entry.ts";

/** The place of an owner call among those of this process, in the order in which they were made. */
export interface Place {
  /** What the call is to do, once its turn has come. */
  call?: StoredOperation;
  next?: Place;
}

// Only the last place is held here. An interrupted call holds its own, and by that the ones after it, as long as it can be resumed.
const calls = shared<{ last: Place }>("ownerCalls", () => ({ last: {} }));

/** Returns the place of a call that is made now. */
export function takePlace(): Place {
  const place: Place = {};
  calls.last.next = place;
  calls.last = place;
  return place;
}

/** Lists the calls that were made after the one at a place, and have had their turn. */
export function listLaterCalls({ next }: Place): StoredOperation[] {
  const later: StoredOperation[] = [];
  for (let place = next; place; place = place.next) if (place.call) later.push(place.call);
  return later;
}

/**
 * Refuses to do what a later call of this process has left less of, as a journal does: it would readmit someone who was
 * revoked meanwhile.
 *
 * @throws `OPERATION_UNDONE`
 */
export async function refuseSuperseded(call: StoredOperation, place: Place): Promise<void> {
  const later = listLaterCalls(place);
  if (later.length === 0) return;
  const { findChange } = await import("./call-entry.ts");
  if (later.every((other) => findChange(call, other) === "none")) return;
  throw new KeeplightError(
    "OPERATION_UNDONE",
    "A later call has left less to do of this one, which is over: call again",
  );
}
