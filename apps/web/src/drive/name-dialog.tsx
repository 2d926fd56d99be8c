import { type FormEvent, useState } from "react";
import { useMessages } from "../messages/language.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { TextField } from "../ui/field.tsx";
import { useAction } from "../ui/use-action.ts";

/** Asks for the name of a new folder, or another name of something. */
export function NameDialog({
  title,
  action,
  name: known = "",
  onName,
  onClose,
}: {
  title: string;
  /** Label of the button. */
  action: string;
  /** As it is now. */
  name?: string;
  onName: (name: string) => Promise<unknown>;
  onClose: () => void;
}) {
  const { drive: texts, ui } = useMessages();
  const [name, setName] = useState(known);
  const saving = useAction();
  const isBusy = saving.status === "busy";
  const trimmed = name.trim();
  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (trimmed === "" || isBusy) return;
    if (trimmed === known || (await saving.run(() => onName(trimmed)))) onClose();
  };
  return (
    <Dialog title={title} onClose={() => isBusy || onClose()}>
      <form onSubmit={save} className="stack">
        <TextField
          label={texts.name}
          value={name}
          // The name without its extension, which rarely changes.
          onFocus={({ target }) =>
            target.setSelectionRange(0, known.lastIndexOf(".") > 0 ? known.lastIndexOf(".") : known.length)
          }
          onChange={({ target }) => {
            setName(target.value);
            saving.forget();
          }}
          problem={name.includes("/") ? texts.noSlash : undefined}
        />
        {saving.status === "failed" && <ErrorNote error={saving.error} />}
        <div className="dialog-actions">
          <Button kind="quiet" onClick={onClose} disabled={isBusy}>
            {ui.cancel}
          </Button>
          <Button kind="primary" type="submit" busy={isBusy} disabled={trimmed === "" || name.includes("/")}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
