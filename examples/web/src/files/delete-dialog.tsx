import type { ListedFile } from "keeplight";
import { formatBytes, shorten } from "../messages/format.ts";
import { useMessages } from "../messages/language.ts";
import { useAccountData } from "../session/account-data.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { FileName } from "../ui/file-name.tsx";

/** Names that are listed; there may be thousands. */
const LISTED = 5;

/** Asks before files are deleted. */
export function DeleteDialog({
  files,
  busy,
  onConfirm,
  onCancel,
}: {
  files: readonly ListedFile[];
  busy: boolean;
  onConfirm: () => void;
  onCancel: () => void;
}) {
  const { files: texts } = useMessages();
  const { members } = useAccountData().groups;
  const isFolder = ({ cid }: ListedFile) => members.has(cid);
  const hasFolders = files.some(isFolder);
  const below = files.reduce((sum, { cid }) => sum + (members.get(cid)?.length ?? 0), 0);
  const size = files.reduce((sum, { fileSizeInBytes }) => sum + Number(fileSizeInBytes ?? 0), 0);
  const more = files.length - LISTED;
  const several = files.length > 1;
  const title = !hasFolders
    ? texts.deleteTitle(files.length)
    : several
      ? texts.deleteItemsTitle(files.length)
      : texts.deleteFolderTitle;
  return (
    <ConfirmDialog
      title={title}
      action={files.length > 1 && hasFolders ? texts.deleteItemsAction(files.length) : texts.deleteAction(files.length)}
      busy={busy}
      onConfirm={onConfirm}
      onCancel={onCancel}
    >
      <ul className="dialog-files">
        {files.slice(0, LISTED).map(({ id, cid, fileName }) => (
          <li key={id}>
            <FileName>{fileName ?? shorten(cid)}</FileName>
          </li>
        ))}
        {more > 0 && <li className="quiet">{texts.deleteMore(more)}</li>}
      </ul>
      <p className="quiet">
        {hasFolders && `${texts.deleteFolderHint(below)} `}
        {texts.deleteHint(formatBytes(size), files.length + below)}
      </p>
    </ConfirmDialog>
  );
}
