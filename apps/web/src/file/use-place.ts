import { useKit } from "@keeplight/react";
import type { ListedFile } from "keeplight";
import { useMemo } from "react";
import { getOpenedFolder } from "../folder/open-folder.ts";
import { useAccountData } from "../session/account-data.tsx";
import type { KnownKey } from "./link-key.ts";

/** The folder that a file was opened from. */
interface Place {
  /** Whether it is an encrypted folder of the account, which the file is in. */
  isOwn: boolean;
  /** What the folder says of the file's key, if this session has opened it. */
  knownKey: KnownKey | undefined;
}

/**
 * Finds what is known of the folder that a file was opened from.
 *
 * @param within - where it was found; see `FileRoute`
 * @param own - its row in the account's list, if it has one
 */
export function usePlace(cid: string, within: string | undefined, own: ListedFile | undefined): Place {
  const kit = useKit();
  const { groups } = useAccountData();
  const [folder = ""] = within?.split("/") ?? [];
  const files = getOpenedFolder(kit, folder)?.files;
  const knownKey = useMemo(() => {
    const listed = files?.find((file) => file.cid === cid);
    return listed && { commitment: listed.commitment, chunkProfile: listed.chunkProfile };
  }, [files, cid]);
  return { isOwn: own !== undefined && groups.members.get(folder)?.includes(own) === true, knownKey };
}
