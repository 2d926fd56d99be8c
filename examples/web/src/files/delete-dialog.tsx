import type { ListedFile } from "keeplight";
import { formatBytes, shorten } from "../messages/format.ts";
import { useMessages } from "../messages/language.ts";
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
  const size = files.reduce((sum, { fileSizeInBytes }) => sum + Number(fileSizeInBytes ?? 0), 0);
  const more = files.length - LISTED;
  return (
    <ConfirmDialog
      title={texts.deleteTitle(files.length)}
      action={texts.deleteAction(files.length)}
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
      <p className="quiet">{texts.deleteHint(formatBytes(size), files.length)}</p>
    </ConfirmDialog>
  );
}
