import type { DriveFolder } from "@keeplight/drive";
import { useKit } from "@keeplight/react";
import { useMemo } from "react";
import { ArchiveButton } from "../folder/archive-button.tsx";
import { listEncryptedFolder } from "../folder/list-archive.ts";
import { ShareDialog } from "../folder/share-dialog.tsx";
import { type SavingFolder, useSaveFolder } from "../folder/use-save-folder.ts";
import { useMessages } from "../messages/language.ts";
import { useAccountData } from "../session/account-data.tsx";
import { Button } from "../ui/button.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { listContent } from "./rows.ts";
import { type SharedFolder, useShareFolder } from "./use-share-folder.ts";

/** What can be done with a folder of the drive as a whole. */
export interface FolderTools {
  saving: SavingFolder;
  sharing: SharedFolder;
  isEmpty: boolean;
  /** Whether it was shared as it is, or was. */
  isShared: boolean;
}

/** @param folder - missing at the top, which is neither shared nor saved */
export function useFolderTools(folder: DriveFolder | undefined): FolderTools {
  const kit = useKit();
  const { drive, files: listed } = useAccountData();
  const files = useMemo(
    () => (folder ? listContent(drive.entries, folder, listed.files) : []),
    [drive.entries, folder, listed.files],
  );
  const saving = useSaveFolder(folder?.name ?? "", async () => listEncryptedFolder(kit, { files }, ""));
  const isShared = drive.manifests.has(folder?.id ?? "");
  return { saving, sharing: useShareFolder(folder, files), isEmpty: files.length === 0, isShared };
}

/** The buttons, and the dialog that they open. */
export function FolderButtons({ tools: { saving, sharing, isEmpty, isShared } }: { tools: FolderTools }) {
  const { folder: texts } = useMessages();
  const { opened, change, isBusy, open, close } = sharing;
  return (
    <>
      <ArchiveButton saving={saving} kind="secondary" disabled={isEmpty} />
      <Button icon="people" busy={isBusy} disabled={isEmpty && !isShared} onClick={open}>
        {texts.share}
      </Button>
      {opened && (
        <ShareDialog
          folder={opened.folder}
          older={opened.older}
          isOver={opened.isOver}
          change={change}
          onClose={close}
        />
      )}
    </>
  );
}

/** Why the folder could not be saved or shared. */
export function FolderProblem({ tools: { saving, sharing } }: { tools: FolderTools }) {
  if (saving.state.status === "failed") return <ErrorNote error={saving.state.error} retry={saving.save} />;
  if (sharing.error !== undefined) return <ErrorNote error={sharing.error} retry={sharing.open} />;
  return null;
}
