import type {
  AccessConditions,
  AccessRuleOptions,
  CompletedNodes,
  KitOptions,
  SetAccessConditionsOptions,
} from "keeplight";
import { copyOptions } from "keeplight/parts";
import { useCallback } from "react";
import { useKit } from "./kit-provider.ts";
import { useAccess } from "./use-access.ts";
import { type Change, useChange } from "./use-change.ts";
import type { Loaded } from "./use-load.ts";

/** What {@link useConditions} returns. */
export interface UseConditions extends Loaded<AccessConditions> {
  /** Replaces the file's conditions, and reloads. */
  setConditions(rules: AccessRuleOptions): Promise<CompletedNodes | undefined>;
  /** The state of the latest replacement. If a node failed, `retry` calls only the nodes that have not done it yet. */
  change: Change<CompletedNodes>;
}

/**
 * The conditions under which others may open an encrypted file: `state.value.conditions`. Loads on mount, when `cid`
 * changes, after a change, and by `reload`. `explainConditions` and `simulateConditions` of `useKit` show what they mean.
 *
 * @example
 * const { state, setConditions } = useConditions(cid);
 * await setConditions({ conditions: [afterBlock(20_000_000)] });
 */
export function useConditions(cid: string): UseConditions {
  const kit = useKit();
  const { state, reload } = useAccess(cid);
  const { change, make } = useChange<CompletedNodes>(kit, cid, reload);
  const setConditions = useCallback(
    (given: AccessRuleOptions) => {
      // It may wait for another change.
      const rules = copyOptions(given);
      return make((signal) =>
        kit.kavachSetAccessConditions(cid, { ...rules, signal } as KitOptions<SetAccessConditionsOptions>),
      );
    },
    [make, kit, cid],
  );
  return { state, reload, setConditions, change };
}
