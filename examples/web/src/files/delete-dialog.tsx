import type { ListedFile } from "keeplight";
import { formatBytes, plural, shorten } from "../messages/format.ts";
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
  const size = files.reduce((sum, { fileSizeInBytes }) => sum + Number(fileSizeInBytes ?? 0), 0);
  const more = files.length - LISTED;
  return (
    <ConfirmDialog
      title={files.length === 1 ? "Delete this file?" : `Delete ${plural(files.length, "file")}?`}
      action={files.length === 1 ? "Delete" : `Delete ${plural(files.length, "file")}`}
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
        {more > 0 && <li className="quiet">and {more.toLocaleString()} more</li>}
      </ul>
      <p className="quiet">{formatBytes(size)} in all. This can’t be undone.</p>
    </ConfirmDialog>
  );
}
