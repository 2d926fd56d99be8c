import type { ListedFile } from "keeplight";
import { useKit } from "keeplight/react";
import { useState } from "react";
import { explainError } from "../messages/explain-error.ts";
import { getMessages } from "../messages/language.ts";
import { useAccountData } from "../session/account-data.tsx";
import { toSafeName } from "../ui/file-name.tsx";
import { useToast } from "../ui/toasts.tsx";

/** Files deleted at the same time. */
const AT_ONCE = 4;

/** Deletes files, and reports in a toast what happened. */
export function useDeleteFiles() {
  const kit = useKit();
  const toast = useToast();
  const { files, balance } = useAccountData();
  const [busy, setBusy] = useState(false);

  /** Returns those that were deleted. */
  async function deleteFiles(chosen: readonly ListedFile[]): Promise<readonly ListedFile[]> {
    setBusy(true);
    const waiting = [...chosen];
    const deleted: ListedFile[] = [];
    let failure: unknown;
    const work = async () => {
      for (let file = waiting.shift(); file && failure === undefined; file = waiting.shift()) {
        try {
          await kit.deleteFile(file.id);
          deleted.push(file);
        } catch (error) {
          failure = error;
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    if (deleted.length > 0) await Promise.all([files.reload(), balance.reload()]);
    setBusy(false);
    toast(describe(chosen, deleted, failure));
    return deleted;
  }

  return { busy, deleteFiles };
}

function describe(chosen: readonly ListedFile[], deleted: readonly ListedFile[], failure: unknown): string {
  const { files: texts } = getMessages();
  const [first] = chosen;
  if (failure === undefined) {
    return chosen.length === 1
      ? texts.deleted(toSafeName(first?.fileName ?? texts.unnamed))
      : texts.deletedCount(deleted.length);
  }
  const { title, advice } = explainError(failure);
  const done = chosen.length > 1 ? `${texts.deletedPart(deleted.length, chosen.length)} ` : "";
  return `${done}${title}. ${advice}`;
}
