import type { Contact } from "@keeplight/drive";
import { isKeeplightError } from "keeplight";
import { type FormEvent, useState } from "react";
import { useMessages } from "../messages/language.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { TextField } from "../ui/field.tsx";
import { toSafeName } from "../ui/file-name.tsx";
import { useAction } from "../ui/use-action.ts";
import { useContactBook } from "./contact-book.tsx";
import { isAddress } from "./find-contacts.ts";

/** Those of a drive. */
const MAX_NAME = 100;
const MAX_NOTE = 1_000;

/** Asks for the name of an address, and what to note of it. */
export function ContactDialog({
  contact,
  onSave,
  onClose,
}: {
  /** The one that is changed; missing for a new one. */
  contact: Contact | undefined;
  onSave: (contact: Contact) => Promise<unknown>;
  onClose: () => void;
}) {
  const { contacts: texts, drive, ui } = useMessages();
  const book = useContactBook();
  const [address, setAddress] = useState(contact?.address ?? "");
  const [name, setName] = useState(contact?.name ?? "");
  const [note, setNote] = useState(contact?.note ?? "");
  const saving = useAction();
  const isBusy = saving.status === "busy";
  const known = contact ? undefined : book.find(address.trim());
  // Those of EVM chains have a checksum.
  const isInvalid = saving.status === "failed" && isKeeplightError(saving.error, "INVALID_ADDRESS");
  const nameProblem = toSafeName(name) === name ? undefined : texts.hidden;
  const noteProblem = toSafeName(note) === note ? undefined : texts.hidden;
  const isComplete = isAddress(address.trim()) && name.trim() !== "" && !known && !nameProblem && !noteProblem;
  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (!isComplete || isBusy) return;
    if (await saving.run(() => onSave({ address: address.trim(), name: name.trim(), note: note.trim() }))) onClose();
  };
  return (
    <Dialog
      title={contact ? texts.edit(book.describe(contact.address)) : texts.add}
      onClose={() => isBusy || onClose()}
    >
      <form onSubmit={save} className="stack contact-form">
        {contact ? (
          <p className="mono contact-address">{contact.address}</p>
        ) : (
          <TextField
            label={texts.address}
            placeholder="0x…"
            required
            value={address}
            problem={isInvalid ? texts.invalid : known && texts.known(toSafeName(known.name))}
            hint={texts.addressHint}
            onChange={({ target }) => {
              setAddress(target.value);
              saving.forget();
            }}
          />
        )}
        <TextField
          label={drive.name}
          required
          maxLength={MAX_NAME}
          value={name}
          problem={nameProblem}
          hint={texts.nameHint}
          onChange={({ target }) => setName(target.value)}
        />
        <TextField
          label={texts.note}
          maxLength={MAX_NOTE}
          value={note}
          problem={noteProblem}
          hint={texts.noteHint}
          onChange={({ target }) => setNote(target.value)}
        />
        {saving.status === "failed" && !isInvalid && <ErrorNote error={saving.error} />}
        <div className="dialog-actions">
          <Button kind="quiet" onClick={onClose} disabled={isBusy}>
            {ui.cancel}
          </Button>
          <Button kind="primary" type="submit" busy={isBusy} disabled={!isComplete}>
            {texts.save}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
