import { useKit } from "@keeplight/react";
import type { OpenedFolder } from "keeplight";
import { useCallback } from "react";
import { type Query, useQuery } from "../ui/use-query.ts";
import { openFolder } from "./open-folder.ts";

/** Opens an encrypted folder: decrypts its manifest, and checks who owns it. */
export function useEncryptedFolder(cid: string): Query<OpenedFolder> & { reload: () => void } {
  const kit = useKit();
  const load = useCallback((signal: AbortSignal) => openFolder(kit, cid, signal), [kit, cid]);
  return useQuery(load);
}
