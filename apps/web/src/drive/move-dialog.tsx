import { type FormEvent, useMemo, useState } from "react";
import { useMessages } from "../messages/language.ts";
import { useAccountData } from "../session/account-data.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { SelectField } from "../ui/field.tsx";
import { toSafeName } from "../ui/file-name.tsx";
import type { Row } from "./rows.ts";
import { useDriveActions } from "./use-drive-actions.ts";

const names = new Intl.Collator(undefined, { numeric: true });

/**
 * Asks where to move rows to.
 *
 * @param props - `from`: path of the folder that all of them are in; a search finds rows of several
 */
export function MoveDialog({
  rows,
  from,
  onClose,
}: {
  rows: readonly Row[];
  from: string | undefined;
  onClose: () => void;
}) {
  const { drive: texts, files, ui } = useMessages();
  const { entries } = useAccountData().drive;
  const { move } = useDriveActions();
  const [busy, setBusy] = useState(false);
  const choices = useMemo(() => {
    // A folder is not moved into itself.
    const moved = rows.flatMap(({ entry }) => (entry?.type === "folder" ? [entry.path] : []));
    const isBelow = (path: string) => moved.some((each) => path === each || path.startsWith(`${each}/`));
    const folders = entries.filter(({ type, trashed, path }) => type === "folder" && !trashed && !isBelow(path));
    const paths = folders.map(({ path }) => path).sort(names.compare);
    const top = { value: "", label: files.title };
    return [top, ...paths.map((path) => ({ value: path, label: path.split("/").map(toSafeName).join(" / ") }))];
  }, [entries, rows, files]);
  const [folder, setFolder] = useState(choices.find(({ value }) => value !== from)?.value ?? "");
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    await move(rows, folder);
    onClose();
  };
  return (
    <Dialog
      title={texts.moveTitle(toSafeName(rows[0]?.fileName ?? files.unnamed), rows.length)}
      onClose={() => busy || onClose()}
    >
      <form onSubmit={submit} className="stack">
        <SelectField label={texts.folder} value={folder} choices={choices} onChoose={setFolder} />
        <div className="dialog-actions">
          <Button kind="quiet" onClick={onClose} disabled={busy}>
            {ui.cancel}
          </Button>
          <Button
            kind="primary"
            type="submit"
            busy={busy}
            disabled={folder === from && rows.every(({ entry }) => entry)}
          >
            {texts.moveHere}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
