import type { ResumedResult } from "@keeplight/react";
import { useCallback } from "react";
import { useMessages } from "../messages/language.ts";
import { toHref } from "../routes.ts";
import { useAccountData } from "../session/account-data.tsx";
import { useToast } from "../ui/toasts.tsx";

/** Returns what to do after operations were resumed: says so, and loads what they have changed. */
export function useResumed(): (results: readonly ResumedResult[]) => Promise<void> {
  const { uploads } = useMessages();
  const { reload: reloadFiles } = useAccountData().files;
  const toast = useToast();
  return useCallback(
    async (results) => {
      if (results.length === 0) return;
      toast(uploads.completed(results.length));
      // What was paid for by itself is in no list: its page has its link.
      const [paid] = results.flatMap(({ kind, result }) => (kind === "upload" && result[0].receipt ? [result[0]] : []));
      if (paid && results.length === 1) location.assign(toHref({ screen: "file", cid: paid.Hash, tab: "preview" }));
      await reloadFiles();
    },
    [toast, uploads, reloadFiles],
  );
}
