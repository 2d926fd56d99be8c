import { useKit } from "keeplight/react";
import { useCallback } from "react";
import { shorten } from "../messages/format.ts";
import { useAccountData } from "../session/account-data.tsx";
import { useQuery } from "../ui/use-query.ts";

/** Returns the name of a stored folder: of the account's list, or else as the network has it. */
export function useRootName(cid: string): string {
  const kit = useKit();
  const { files } = useAccountData();
  const load = useCallback(
    // Subfolders have none of their own.
    (signal: AbortSignal) => kit.getFileInfo(cid, { signal }).catch(() => undefined),
    [kit, cid],
  );
  const info = useQuery(load);
  const name = files.files.find((file) => file.cid === cid)?.fileName ?? info.value?.fileName;
  return name || shorten(cid);
}
