import { useKit } from "@keeplight/react";
import { isKeeplightError, parseFolderName } from "keeplight";
import { useCallback } from "react";
import { shorten } from "../messages/format.ts";
import { useAccountData } from "../session/account-data.tsx";
import { type Query, useQuery } from "../ui/use-query.ts";

/** What the network's metadata says of a folder. Nothing authenticates it. */
interface FolderInfo {
  name: string;
  isEncrypted: boolean;
}

/** Loads what is known of a stored folder: of the account's list, or else of the network. */
export function useFolderInfo(cid: string): Query<FolderInfo> & { reload: () => void } {
  const kit = useKit();
  const { files } = useAccountData();
  const load = useCallback(
    (signal: AbortSignal) =>
      kit.getFileInfo(cid, { signal }).catch((error: unknown) => {
        // Folders in a public folder have no metadata of their own. Any other failure says nothing of what it is.
        if (isKeeplightError(error, "HTTP_STATUS") && error.details.status === 404) return undefined;
        throw error;
      }),
    [kit, cid],
  );
  const query = useQuery(load);
  const { reload } = query;
  const listed = files.files.find((file) => file.cid === cid);
  if (!listed && query.status === "loading") return { status: "loading", reload };
  if (!listed && query.status === "failed") return { status: "failed", error: query.error, reload };
  const { fileName, encryption } = listed ?? query.value ?? {};
  const folder = encryption === true ? parseFolderName(fileName ?? "") : undefined;
  const name = folder?.name || fileName || shorten(cid);
  return { status: "ready", value: { name, isEncrypted: encryption === true }, reload };
}
