import type { AccessConditions, CompletedNodes, ShareOptions } from "keeplight";
import { copyInput } from "keeplight/parts";
import { useCallback } from "react";
import { useKit } from "./kit-provider.ts";
import { useAccess } from "./use-access.ts";
import { type Change, useChange } from "./use-change.ts";
import type { Loaded } from "./use-load.ts";

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
