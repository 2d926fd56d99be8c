import type { KeyHealth, KeyRepair } from "keeplight";
import { useCallback } from "react";
import { useKit } from "./kit-provider.ts";
import { type Change, useChange } from "./use-change.ts";
import { type Loaded, useLoad } from "./use-load.ts";

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
