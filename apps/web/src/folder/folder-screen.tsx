import { useMessages } from "../messages/language.ts";
import { ErrorNote } from "../ui/error-note.tsx";
import { Screen } from "../ui/screen.tsx";
import { EncryptedFolder } from "./encrypted-folder.tsx";
import { PublicFolder } from "./public-folder.tsx";
import { useFolderInfo } from "./use-folder-info.ts";

/** A folder, of this account or another. */
export function FolderScreen({ cid, path }: { cid: string; path: string }) {
  const query = useFolderInfo(cid);
  const { folder: texts } = useMessages();
  if (query.status === "failed") {
    return (
      <Screen title={texts.isFolder}>
        <ErrorNote error={query.error} retry={query.reload} />
      </Screen>
    );
  }
  const info = query.value;
  // Until the name is known there is only a heading, so that the layout does not shift.
  if (!info) return <Screen title={"\u00a0"} />;
  if (info.isEncrypted) return <EncryptedFolder cid={cid} path={path} name={info.name} />;
  return <PublicFolder cid={cid} path={path} root={info.name} />;
}
