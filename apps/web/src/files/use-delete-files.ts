import { useKit } from "@keeplight/react";
import type { ListedFile } from "keeplight";
import { useState } from "react";
import { explainError } from "../messages/explain-error.ts";
import { getMessages } from "../messages/language.ts";
import { useAccountData } from "../session/account-data.tsx";
import { toSafeName } from "../ui/file-name.tsx";
import { useToast } from "../ui/toasts.tsx";

/** Files deleted at the same time. */
const AT_ONCE = 4;

/** Deletes files and folders, and reports in a toast what happened. */
export function useDeleteFiles() {
  const kit = useKit();
  const toast = useToast();
  const { files } = useAccountData();
  const [busy, setBusy] = useState(false);

  /**
   * Returns those that were deleted: of folders, those without a file left.
   *
   * @param below - the files of the chosen folders
   */
  async function deleteFiles(
    chosen: readonly ListedFile[],
    below: readonly ListedFile[],
  ): Promise<readonly ListedFile[]> {
    setBusy(true);
    const deleted = new Set<ListedFile>();
    let failure: unknown;

    async function deleteAll(list: readonly ListedFile[]): Promise<void> {
      const waiting = [...list];
      const work = async () => {
        for (let file = waiting.shift(); file && failure === undefined; file = waiting.shift()) {
          try {
            await kit.deleteFile(file.id);
            deleted.add(file);
          } catch (error) {
            failure = error;
          }
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
    }

    await deleteAll(below);
    // The entries of folders last: what fails half way can be tried again by them.
    await deleteAll(chosen);
    if (deleted.size > 0) await files.reload();
    setBusy(false);
    toast(describe(chosen, { deleted: deleted.size, all: below.length + chosen.length }, failure));
    return chosen.filter((file) => deleted.has(file));
  }

  return { busy, deleteFiles };
}

function describe(chosen: readonly ListedFile[], count: { deleted: number; all: number }, failure: unknown): string {
  const { files: texts } = getMessages();
  const [first] = chosen;
  if (failure === undefined) {
    return chosen.length === 1
      ? texts.deleted(toSafeName(first?.fileName ?? texts.unnamed))
      : texts.deletedCount(chosen.length);
  }
  const { title, advice } = explainError(failure);
  const done = count.all > 1 ? `${texts.deletedPart(count.deleted, count.all)} ` : "";
  return `${done}${title}. ${advice}`;
}
