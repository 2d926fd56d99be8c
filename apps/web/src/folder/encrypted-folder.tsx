import { useKit } from "@keeplight/react";
import { isKeeplightError, type OpenedFolder } from "keeplight";
import { useMemo, useState } from "react";
import { AppError, isRefusal } from "../messages/explain-error.ts";
import { useMessages } from "../messages/language.ts";
import { AskAccess } from "../requests/ask-access.tsx";
import { getLastName } from "../routes.ts";
import { useAccountData } from "../session/account-data.tsx";
import { useSession } from "../session/session.ts";
import { useRememberShared } from "../shared/use-remember-shared.ts";
import { Button } from "../ui/button.tsx";
import { ArchiveButton } from "./archive-button.tsx";
import { CopyFolderLink } from "./copy-folder-link.tsx";
import { DeleteFolder } from "./delete-folder.tsx";
import { createFolderTree } from "./folder-tree.ts";
import { FolderView } from "./folder-view.tsx";
import { listEncryptedFolder } from "./list-archive.ts";
import { ShareDialog } from "./share-dialog.tsx";
import { useEncryptedFolder } from "./use-encrypted-folder.ts";
import { useFolderChange } from "./use-folder-change.ts";
import { useSaveFolder } from "./use-save-folder.ts";

/** An encrypted folder: its manifest is decrypted in this page. */
export function EncryptedFolder({ cid, path, name }: { cid: string; path: string; name: string }) {
  const { folder: texts } = useMessages();
  const kit = useKit();
  const { address: me } = useSession();
  // Known before the folder is open, so that the layout does not shift.
  const isListed = useAccountData().groups.members.has(cid);
  const { value: folder, ...query } = useEncryptedFolder(cid);
  const [isSharing, setSharing] = useState(false);
  const change = useFolderChange();
  const tree = useMemo(() => createFolderTree(folder?.files ?? []), [folder]);
  const root = folder?.name ?? name;
  const isOwner = folder?.owner.toLowerCase() === me;
  useRememberShared(folder && !isOwner ? toItem(folder) : undefined);
  const saving = useSaveFolder(getLastName(path) || root, async () =>
    listEncryptedFolder(kit, folder ?? { files: [] }, path),
  );
  const entries = tree.get(path);
  const error =
    query.status === "failed"
      ? query.error
      : folder && !entries
        ? new AppError(({ folder }) => folder.notThere)
        : undefined;
  return (
    <FolderView
      cid={cid}
      root={root}
      path={path}
      listing={{
        status: error !== undefined ? "failed" : query.status,
        entries: entries ?? [],
        error,
        help: isRefusal(error) && <AskAccess cid={cid} />,
        reload: query.reload,
      }}
      isFile={isKeeplightError(error, "INVALID_FOLDER")}
      isEncrypted
      saving={saving}
      actions={
        <>
          <ArchiveButton saving={saving} disabled={!folder || !entries} />
          {(folder ? isOwner : isListed) && path === "" && (
            <Button icon="people" disabled={!folder} onClick={() => setSharing(true)}>
              {texts.share}
            </Button>
          )}
          <CopyFolderLink cid={cid} path={path} />
          {path === "" && <DeleteFolder cid={cid} />}
          {isSharing && folder && <ShareDialog folder={folder} change={change} onClose={() => setSharing(false)} />}
        </>
      }
    />
  );
}

function toItem({ cid, name, size, owner }: OpenedFolder) {
  return { cid, name, size, encryption: true, isFolder: true, from: owner } as const;
}
