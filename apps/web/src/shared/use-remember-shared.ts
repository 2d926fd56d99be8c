import { useEffect } from "react";
import { useSession } from "../session/session.ts";
import type { SharedItem } from "./shared-item.ts";
import { openSharedList } from "./shared-list.ts";

/** Adds somebody else's file to the account's list, once it is known. */
export function useRememberShared(item: Omit<SharedItem, "receivedAt"> | undefined): void {
  const { journal } = useSession();
  const text = item && JSON.stringify(item);
  useEffect(() => {
    if (text === undefined) return;
    const known = JSON.parse(text) as Omit<SharedItem, "receivedAt">;
    // Without it, for example in a private window, the file is shown all the same.
    openSharedList(journal)
      .add({ ...known, receivedAt: Date.now() })
      .catch(() => undefined);
  }, [text, journal]);
}
