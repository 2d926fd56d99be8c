import type {
  AccessConditions,
  AccessRuleOptions,
  CompletedNodes,
  KeyHealth,
  KeyRepair,
  KitOptions,
  SetAccessConditionsOptions,
  ShareOptions,
} from "keeplight";
import { copyInput, copyOptions } from "keeplight/parts";
import { useCallback, useMemo } from "react";
import { useKitLoad } from "./kit-provider.ts";
import type { Loaded } from "./use-load.ts";
import { type Change, useChange } from "./use-task.ts";

/** What {@link useShare} returns. */
export interface UseShare extends Loaded<AccessConditions> {
  /** Lets these addresses open the file, and reloads. */
  share(shareTo: ShareOptions["shareTo"]): Promise<CompletedNodes | undefined>;
  /** Takes these addresses' access away, and reloads. A key that was recovered before stays recovered. */
  revoke(revokeTo: ShareOptions["shareTo"]): Promise<CompletedNodes | undefined>;
  /**
   * The state of the latest of both. If a node failed, `retry` calls only the nodes that have not done it yet.
   */
  change: Change<CompletedNodes>;
}

/**
 * With whom an encrypted file is shared: `state.value.sharedTo`, besides its `owner`. Loads on mount, when `cid` changes,
 * after a change, and by `reload`.
 *
 * @example
 * const { state, share, revoke, change } = useShare(cid);
 * <button onClick={() => share("0xBob…")} disabled={change.state.status === "running"}>Share</button>
 */
export function useShare(cid: string): UseShare {
  const loaded = useAccess(cid);
  const { change, make } = useChange<CompletedNodes>(cid, loaded.reload);
  const changes = useMemo(
    () => ({
      // Inputs are copied, as they may wait for another change.
      share(given: ShareOptions["shareTo"]) {
        const shareTo = copyInput(given, "shareTo");
        return make((kit, signal) => kit.kavachShare(cid, { shareTo, signal }));
      },
      revoke(given: ShareOptions["shareTo"]) {
        const revokeTo = copyInput(given, "revokeTo");
        return make((kit, signal) => kit.kavachRevoke(cid, { revokeTo, signal }));
      },
    }),
    [make, cid],
  );
  return { ...loaded, ...changes, change };
}

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
  const loaded = useAccess(cid);
  const { change, make } = useChange<CompletedNodes>(cid, loaded.reload);
  const setConditions = useCallback(
    (given: AccessRuleOptions) => {
      // It may wait for another change.
      const rules = copyOptions(given);
      return make((kit, signal) =>
        kit.kavachSetAccessConditions(cid, { ...rules, signal } as KitOptions<SetAccessConditionsOptions>),
      );
    },
    [make, cid],
  );
  return { ...loaded, setConditions, change };
}

/** What {@link useKeyHealth} returns. */
export interface UseKeyHealth extends Loaded<KeyHealth> {
  /** Saves new shards on the nodes that have lost theirs, for the file's owner, and reloads. */
  repair(): Promise<KeyRepair | undefined>;
  /** The state of the repair. */
  change: Change<KeyRepair>;
}

/**
 * How the key nodes keep a file's key, and its repair. The provider's signer signs in for it. Loads on mount, when `cid`
 * changes, and by `reload`.
 *
 * @example
 * const { state, repair } = useKeyHealth(cid);
 * if (state.value?.healthy === false) return <button onClick={() => repair()}>Repair</button>;
 */
export function useKeyHealth(cid: string): UseKeyHealth {
  const loaded = useKitLoad((kit, signal) => kit.kavachInspect(cid, { signal }), cid);
  const { change, make } = useChange<KeyRepair>(cid, loaded.reload);
  const repair = useCallback(() => make((kit, signal) => kit.kavachRepair(cid, { signal })), [make, cid]);
  return { ...loaded, repair, change };
}

function useAccess(cid: string): Loaded<AccessConditions> {
  return useKitLoad((kit, signal) => kit.kavachGetAccessConditions(cid, { signal }), cid);
}
