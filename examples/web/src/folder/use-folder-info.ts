import { parseFolderName } from "keeplight";
import { useKit } from "keeplight/react";
import { useCallback } from "react";
import { shorten } from "../messages/format.ts";
import { useAccountData } from "../session/account-data.tsx";
import { useQuery } from "../ui/use-query.ts";

/** What the network's metadata says of a folder. Nothing authenticates it. */
interface FolderInfo {
  name: string;
  isEncrypted: boolean;
}

/** Returns what is known of a stored folder: of the account's list, or else of the network; `undefined` until then. */
export function useFolderInfo(cid: string): FolderInfo | undefined {
  const kit = useKit();
  const { files } = useAccountData();
  // Folders in a public folder have no metadata of their own.
  const load = useCallback(
    (signal: AbortSignal) => kit.getFileInfo(cid, { signal }).catch(() => undefined),
    [kit, cid],
  );
  const query = useQuery(load);
  const info = files.files.find((file) => file.cid === cid) ?? query.value;
  if (!info && query.status === "loading") return undefined;
  const { fileName, encryption } = info ?? {};
  const folder = encryption === true ? parseFolderName(fileName ?? "") : undefined;
  return { name: folder?.name || fileName || shorten(cid), isEncrypted: encryption === true };
}
