import type { DeletedFile } from "keeplight";
import { useCallback } from "react";
import { useKit } from "./kit-provider.ts";
import { useChange } from "./use-change.ts";
import type { TaskControls } from "./use-task.ts";

/** What {@link useDelete} returns. */
export interface UseDelete extends TaskControls<DeletedFile, never> {
  /** Deletes a file, by the `id` of its row in the listing. */
  deleteFile(id: string): Promise<DeletedFile | undefined>;
}

/**
 * Deletes files of the account of the provider's `apiKey`, one at a time.
 *
 * @param onDeleted - called after each deletion, for example to reload the list
 *
 * @example
 * const { state, reload } = useFiles();
 * const { deleteFile } = useDelete(reload);
 */
export function useDelete(onDeleted?: () => void): UseDelete {
  const kit = useKit();
  const { change, make } = useChange<DeletedFile>(kit, undefined, onDeleted);
  const deleteFile = useCallback((id: string) => make((signal) => kit.deleteFile(id, { signal })), [make, kit]);
  return { ...change, deleteFile };
}
