import type { Kit, OpenedFolder } from "keeplight";
import { useKit } from "keeplight/react";
import { useCallback } from "react";
import { type Query, useQuery } from "../ui/use-query.ts";

/** Folders that an account has opened, for as long as its session. Their content cannot change. */
const opened = new WeakMap<Kit, Map<string, OpenedFolder>>();

/** Opens an encrypted folder: decrypts its manifest, and checks who owns it. */
export function useEncryptedFolder(cid: string): Query<OpenedFolder> & { reload: () => void } {
  const kit = useKit();
  const load = useCallback(
    async (signal: AbortSignal) => {
      const known = opened.get(kit)?.get(cid);
      if (known) return known;
      const folder = await kit.readEncryptedFolder(cid, { signal });
      const folders = opened.get(kit) ?? new Map<string, OpenedFolder>();
      opened.set(kit, folders.set(cid, folder));
      return folder;
    },
    [kit, cid],
  );
  return useQuery(load);
}
