import type { ResumedResult } from "@keeplight/react";
import { useCallback } from "react";
import { useMessages } from "../messages/language.ts";
import { useAccountData } from "../session/account-data.tsx";
import { useToast } from "../ui/toasts.tsx";

/** Returns what to do after operations were resumed: says so, and loads what they have changed. */
export function useResumed(): (results: readonly ResumedResult[]) => Promise<void> {
  const { uploads } = useMessages();
  const { files, balance } = useAccountData();
  const toast = useToast();
  const { reload: reloadFiles } = files;
  const { reload: reloadBalance } = balance;
  return useCallback(
    async (results) => {
      if (results.length === 0) return;
      toast(uploads.completed(results.length));
      await Promise.all([reloadFiles(), reloadBalance()]);
    },
    [toast, uploads, reloadFiles, reloadBalance],
  );
}
