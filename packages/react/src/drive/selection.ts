import type { Drive } from "@keeplight/drive";
import type { Store } from "../store.ts";
import { initialState } from "../use-load.ts";
import type { DriveManager, DriveMoment } from "./drive-manager.ts";

/** Something of the drive, once that is open. */
export type Selected<Value> =
  | { status: "loading" }
  | {
      status: "ready";
      /** As it is now. */
      value: Value;
    }
  | {
      status: "failed";
      /** Why the drive could not be opened. */
      error: Error;
    };

/**
 * Follows one thing of a drive, which is read once after each change.
 *
 * @param isSame - whether a value is the one before: then that stays
 */
export function createSelection<Value>(
  manager: Pick<DriveManager, "subscribe" | "state">,
  read: (drive: Drive) => Value,
  isSame: (one: Value, other: Value) => boolean,
): Pick<Store<Selected<Value>>, "subscribe" | "state"> {
  let seen: DriveMoment | undefined;
  let selected: Selected<Value> = initialState;

  function select({ load }: DriveMoment): Selected<Value> {
    const { value: drive } = load;
    if (!drive) return load.status === "failed" ? load : initialState;
    const value = read(drive);
    return selected.status === "ready" && isSame(selected.value, value) ? selected : { status: "ready", value };
  }

  return {
    subscribe: manager.subscribe,
    state() {
      const moment = manager.state();
      if (moment !== seen) selected = select(moment);
      seen = moment;
      return selected;
    },
  };
}

/** Whether two lists have the same elements: what did not change in a drive stays the same object. */
export function isSameList(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((each, at) => each === other[at]);
}
