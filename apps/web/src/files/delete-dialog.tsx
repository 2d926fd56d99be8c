import { useKit } from "@keeplight/react";
import type { ListedFile } from "keeplight";
import { useCallback, useState } from "react";
import { getPlainSize } from "../file/file-facts.ts";
import { formatBytes, shorten } from "../messages/format.ts";
import { useMessages } from "../messages/language.ts";
import { useAccountData } from "../session/account-data.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { FileName } from "../ui/file-name.tsx";
import { useQuery } from "../ui/use-query.ts";
import { type DeletionPlan, planDeletion } from "./plan-deletion.ts";

/** Names that are listed; there may be thousands. */
const LISTED = 5;

const filesOnly: DeletionPlan = { below: [], unproven: new Set(), size: 0 };

/** Asks before files are deleted, once it is known which files the folders among them contain. */
export function DeleteDialog({
  files: chosen,
  busy,
  onConfirm,
  onCancel,
}: {
  /** Those on mount are asked about. */
  files: readonly ListedFile[];
  busy: boolean;
  /** Receives the files of the folders among them, which are to be deleted, too. */
  onConfirm: (below: readonly ListedFile[]) => void;
  onCancel: () => void;
}) {
  const { files: texts } = useMessages();
  const kit = useKit();
  const { members } = useAccountData().groups;
  const [files] = useState(chosen);
  const [folders] = useState(() => files.filter(({ cid, encryption }) => encryption === true && members.has(cid)));
  const hasFolders = folders.length > 0;
  const load = useCallback(
    async (signal: AbortSignal) => (hasFolders ? planDeletion(kit, folders, signal) : filesOnly),
    [kit, folders, hasFolders],
  );
  const query = useQuery(load);
  const plan = hasFolders ? query.value : filesOnly;
  const { below, unproven, size: sizeBelow } = plan ?? filesOnly;
  const others = files.filter((file) => !folders.includes(file));
  const size = others.reduce((sum, file) => sum + (getPlainSize(file) || 0), sizeBelow);
  const more = files.length - LISTED;
  const several = files.length > 1;
  const title = !hasFolders
    ? texts.deleteTitle(files.length)
    : several
      ? texts.deleteItemsTitle(files.length)
      : texts.deleteFolderTitle;
  const action =
    several && hasFolders
      ? texts.deleteItemsAction(files.length)
      : unproven.size > 0
        ? texts.deleteEntryAction
        : texts.deleteAction(files.length);
  const folderHint = folders.length > unproven.size ? `${texts.deleteFolderHint(below.length)} ` : "";
  const error = query.status === "failed" ? query.error : plan?.error;
  return (
    <ConfirmDialog
      title={title}
      action={action}
      busy={busy}
      disabled={plan === undefined}
      onConfirm={() => onConfirm(below)}
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
      {error !== undefined && <ErrorNote error={error} retry={query.reload} />}
      {unproven.size > 0 && <p>{texts.deleteEntryHint(unproven.size)}</p>}
      <p className="quiet" role="status">
        {plan === undefined
          ? query.status === "loading" && texts.deleteListing
          : `${folderHint}${texts.deleteHint(formatBytes(size), files.length + below.length)}`}
      </p>
    </ConfirmDialog>
  );
}
