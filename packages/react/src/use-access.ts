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
import { useCallback } from "react";
import { useKit } from "./kit-provider.ts";
import { type Loaded, useLoad } from "./use-load.ts";
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
  const kit = useKit();
  const { state, reload } = useAccess(cid);
  const { change, make } = useChange<CompletedNodes>(kit, cid, reload);
  const share = useCallback(
    (given: ShareOptions["shareTo"]) => {
      // It may wait for another change.
      const shareTo = copyInput(given, "shareTo");
      return make((signal) => kit.kavachShare(cid, { shareTo, signal }));
    },
    [make, kit, cid],
  );
  const revoke = useCallback(
    (given: ShareOptions["shareTo"]) => {
      const revokeTo = copyInput(given, "revokeTo");
      return make((signal) => kit.kavachRevoke(cid, { revokeTo, signal }));
    },
    [make, kit, cid],
  );
  return { state, reload, share, revoke, change };
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
  const kit = useKit();
  const { state, reload } = useLoad<KeyHealth>((signal) => kit.kavachInspect(cid, { signal }), kit, cid);
  const { change, make } = useChange<KeyRepair>(kit, cid, reload);
  const repair = useCallback(() => make((signal) => kit.kavachRepair(cid, { signal })), [make, kit, cid]);
  return { state, reload, repair, change };
}

/** Who may open an encrypted file. */
function useAccess(cid: string): Loaded<AccessConditions> {
  const kit = useKit();
  const { state, reload } = useLoad<AccessConditions>(
    (signal) => kit.kavachGetAccessConditions(cid, { signal }),
    kit,
    cid,
  );
  return { state, reload };
}
