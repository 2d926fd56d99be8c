import { useCallback, useSyncExternalStore } from "react";
import { useUploadManager } from "./kit-provider.ts";
import type { UploadEntry } from "./upload-entry.ts";

/**
 * One upload of the provider, of any list. Renders at its own changes and progress only, so that a list of many need not
 * render for each of them. `undefined` if it is not in a list any more.
 *
 * @param id - one of {@link useUpload}'s `ids`
 *
 * @example
 * const { ids } = useUpload();
 * return ids.map((id) => <Row key={id} id={id} />); // where a row calls useUploadEntry(id)
 */
export function useUploadEntry(id: string): UploadEntry | undefined {
  const manager = useUploadManager();
  const subscribe = useCallback((listener: () => void) => manager.subscribeTo(id, listener), [manager, id]);
  return useSyncExternalStore(subscribe, () => manager.getEntry(id), getServerState);
}

function getServerState(): undefined {
  return undefined;
}
