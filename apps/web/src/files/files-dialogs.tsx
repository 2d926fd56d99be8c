import type { ListedFile } from "keeplight";
import { MoveDialog } from "../drive/move-dialog.tsx";
import { NameDialog } from "../drive/name-dialog.tsx";
import type { Row } from "../drive/rows.ts";
import { useDriveActions } from "../drive/use-drive-actions.ts";
import { useMessages } from "../messages/language.ts";
import { joinPath } from "../routes.ts";
import { useAccountData } from "../session/account-data.tsx";
import { toSafeName } from "../ui/file-name.tsx";
import { DeleteDialog } from "./delete-dialog.tsx";
import { KeysDialog } from "./keys-dialog.tsx";
import { ShareFilesDialog } from "./share-files-dialog.tsx";

/** What a dialog of the files screen is about. */
export type Asking =
  | { kind: "create" }
  | { kind: "rename"; row: Row }
  | { kind: "move"; rows: readonly Row[] }
  | { kind: "share"; rows: readonly Row[] }
  | { kind: "delete"; rows: readonly Row[] }
  | { kind: "keys" };

/** The open dialog of the files screen. */
export function FilesDialogs({
  asking,
  folder,
  isSearch,
  isDeleting,
  onDelete,
  onMoved,
  onClose,
}: {
  asking: Asking;
  /** Path of the folder that is shown. */
  folder: string;
  /** Whether rows of several folders are shown. */
  isSearch: boolean;
  isDeleting: boolean;
  /** Receives what was confirmed, and the files of the folders among them. */
  onDelete: (rows: readonly Row[], below: readonly ListedFile[]) => void;
  onMoved: () => void;
  onClose: () => void;
}) {
  const { drive: texts } = useMessages();
  const { drive } = useAccountData().drive;
  const { rename } = useDriveActions();
  switch (asking.kind) {
    case "create":
      return (
        <NameDialog
          title={texts.newFolder}
          action={texts.create}
          onName={async (name) => drive?.createFolder(joinPath(folder, name))}
          onClose={onClose}
        />
      );
    case "rename": {
      const { row } = asking;
      const name = row.fileName ?? "";
      return (
        <NameDialog
          title={texts.renameTitle(toSafeName(name))}
          action={texts.rename}
          name={name}
          onName={(next) => rename(row, next)}
          onClose={onClose}
        />
      );
    }
    case "move":
      return <MoveDialog rows={asking.rows} from={isSearch ? undefined : folder} onClose={onMoved} />;
    case "share":
      return <ShareFilesDialog files={asking.rows} onClose={onClose} />;
    case "delete":
      return (
        <DeleteDialog
          files={asking.rows}
          busy={isDeleting}
          onConfirm={(below) => onDelete(asking.rows, below)}
          onCancel={() => isDeleting || onClose()}
        />
      );
    case "keys":
      return <KeysDialog onClose={onClose} />;
  }
}
