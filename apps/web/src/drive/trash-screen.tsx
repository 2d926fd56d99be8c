import type { DriveEntry } from "@keeplight/drive";
import { useState } from "react";
import { getIconName } from "../files/file-kind.ts";
import { formatBytes } from "../messages/format.ts";
import { useMessages } from "../messages/language.ts";
import { toHref } from "../routes.ts";
import { useAccountData } from "../session/account-data.tsx";
import { Button, IconButton } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { Empty } from "../ui/empty.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { FileName, toSafeName } from "../ui/file-name.tsx";
import { Icon } from "../ui/icon.tsx";
import { Screen } from "../ui/screen.tsx";
import { useToast } from "../ui/toasts.tsx";
import { useAction } from "../ui/use-action.ts";
import { listTrash } from "./list-trash.ts";

/** How many are shown; there may be thousands. */
const SHOWN = 200;

/** What was moved to the trash, with buttons to restore it, and to delete it permanently. */
export function TrashScreen() {
  const { drive: texts, shell } = useMessages();
  const { drive, files, balance } = useAccountData();
  const toast = useToast();
  const action = useAction();
  const [removing, setRemoving] = useState<readonly DriveEntry[]>([]);
  const { drive: opened } = drive;
  const trash = listTrash(drive.entries);
  const isBusy = action.status === "busy";

  const restore = async (entry: DriveEntry) => {
    if (await action.run(async () => opened?.restore(entry))) toast(texts.restored(toSafeName(entry.name)));
  };
  const remove = async () => {
    const isDone = await action.run(async () => opened?.remove(removing));
    if (isDone) toast(texts.removed(toSafeName(removing[0]?.name ?? ""), removing.length));
    setRemoving([]);
    await Promise.all([files.reload(), balance.refetch()]);
  };

  return (
    <Screen
      title={texts.trash}
      back={
        <a className="back-link" href={toHref({ screen: "files" })}>
          <Icon name="back" size={18} />
          {shell.files}
        </a>
      }
      lead={<p>{texts.trashLead}</p>}
      actions={
        trash.length > 0 && (
          <Button icon="trash" disabled={isBusy} onClick={() => setRemoving(trash)}>
            {texts.emptyTrash}
          </Button>
        )
      }
    >
      <section className="card shared-list" aria-label={texts.trash} aria-busy={drive.status === "loading"}>
        {drive.status === "failed" && <ErrorNote error={drive.error} retry={drive.reload} />}
        {action.status === "failed" && <ErrorNote error={action.error} isResult />}
        {drive.status !== "loading" && trash.length === 0 && (
          <Empty icon="trash" title={texts.trashEmpty}>
            {texts.trashEmptyHint}
          </Empty>
        )}
        {trash.length > 0 && (
          <ul>
            {trash.slice(0, SHOWN).map((entry) => (
              <li key={entry.id} className="shared-row">
                <span className="file-icon">
                  <Icon name={entry.type === "folder" ? "folder" : getIconName(entry.name, entry.mimeType)} />
                </span>
                <div className="shared-text">
                  <FileName>{entry.name}</FileName>
                  {entry.type === "file" && <p className="quiet numbers">{formatBytes(entry.size)}</p>}
                </div>
                <Button
                  disabled={isBusy}
                  aria-label={texts.restoreOf(toSafeName(entry.name))}
                  onClick={() => restore(entry)}
                >
                  {texts.restore}
                </Button>
                <IconButton
                  icon="trash"
                  label={texts.removeOf(toSafeName(entry.name))}
                  disabled={isBusy}
                  onClick={() => setRemoving([entry])}
                />
              </li>
            ))}
          </ul>
        )}
        {trash.length > SHOWN && <p className="quiet">{texts.more(trash.length - SHOWN)}</p>}
      </section>
      {removing.length > 0 && (
        <ConfirmDialog
          title={texts.removeTitle(toSafeName(removing[0]?.name ?? ""), removing.length)}
          action={texts.removeAction}
          busy={isBusy}
          onConfirm={remove}
          onCancel={() => isBusy || setRemoving([])}
        >
          <p>{texts.removeHint}</p>
        </ConfirmDialog>
      )}
    </Screen>
  );
}
