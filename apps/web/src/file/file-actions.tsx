import type { DriveFile } from "@keeplight/drive";
import type { ListedFile } from "keeplight";
import { useState } from "react";
import { isUnnamed } from "../drive/account-drive.ts";
import { toRows } from "../drive/rows.ts";
import { useDriveActions } from "../drive/use-drive-actions.ts";
import { DeleteDialog } from "../files/delete-dialog.tsx";
import { useDeleteFiles } from "../files/use-delete-files.ts";
import { useMessages } from "../messages/language.ts";
import { replaceRoute } from "../routes.ts";
import { useAccountData } from "../session/account-data.tsx";
import { useSession } from "../session/session.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Icon } from "../ui/icon.tsx";
import { DownloadButton } from "./download-button.tsx";
import type { FileFacts } from "./file-facts.ts";
import { createFileLink } from "./file-link.ts";
import type { OpenedFileTask } from "./use-opened-file.ts";
import type { SavingFile } from "./use-save-file.ts";

/** What can be done with a file. */
export function FileActions({
  cid,
  info,
  own,
  within,
  name,
  isOwner,
  opened,
  saving,
}: {
  cid: string;
  info: FileFacts;
  /** Its row in the account's list, if it has one. */
  own: ListedFile | undefined;
  /** Where it was found in a folder; see `FileRoute`. */
  within: string | undefined;
  /** What its link calls it. */
  name: string | undefined;
  isOwner: boolean;
  opened: OpenedFileTask;
  saving: SavingFile;
}) {
  const { file, drive, ui } = useMessages();
  const { network } = useSession();
  const { busy, deleteFiles } = useDeleteFiles();
  const [isAsking, setAsking] = useState(false);
  const { drive: known } = useAccountData();
  const { trash } = useDriveActions();
  const entry = known.files.get(cid);
  const isDeletable = own !== undefined && own.id !== "" && within === undefined && !isUnnamed(own, known);
  const moveToTrash = async (moved: DriveFile) => {
    replaceRoute({ screen: "files", folder: moved.path.slice(0, -moved.name.length - 1) });
    await trash(toRows([moved], [moved], new Map()));
  };
  const remove = async (below: readonly ListedFile[]) => {
    if (!own) return;
    const deleted = await deleteFiles([own], below);
    setAsking(false);
    if (deleted.length > 0) replaceRoute({ screen: "files" });
  };
  return (
    <>
      <DownloadButton info={info} opened={opened} saving={saving} />
      {info.encryption && isOwner && (
        <Button icon="people" onClick={() => replaceRoute({ screen: "file", cid, tab: "people", within, name })}>
          {file.share}
        </Button>
      )}
      {!info.encryption && (
        <>
          <CopyButton text={createFileLink(cid, within)} what={file.link} label={file.copyLink} />
          <a
            className="button button-secondary"
            href={`${network.endpoints.gateway}/ipfs/${cid}`}
            target="_blank"
            rel="noreferrer"
          >
            <Icon name="external" size={18} />
            {ui.viewOnGateway}
          </a>
        </>
      )}
      {/* A folder is deleted as a whole. */}
      {entry && !entry.trashed && (
        <IconButton icon="trash" label={drive.moveToTrash} onClick={() => void moveToTrash(entry)} />
      )}
      {!entry && isDeletable && <IconButton icon="trash" label={ui.delete} onClick={() => setAsking(true)} />}
      {isAsking && own && (
        <DeleteDialog files={[own]} busy={busy} onConfirm={remove} onCancel={() => busy || setAsking(false)} />
      )}
    </>
  );
}
