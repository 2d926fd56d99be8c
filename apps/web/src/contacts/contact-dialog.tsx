import type { Contact } from "@keeplight/drive";
import { isKeeplightError } from "keeplight";
import { type FormEvent, useState } from "react";
import { useEnsAddress } from "../ens/use-ens-address.ts";
import { useMessages } from "../messages/language.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { TextField } from "../ui/field.tsx";
import { toSafeName } from "../ui/file-name.tsx";
import { useAction } from "../ui/use-action.ts";
import { ContactAddressField } from "./contact-address-field.tsx";
import { useContactBook } from "./contact-book.tsx";
import { isAddress, isZeroAddress } from "./find-contacts.ts";

/** Those of a drive. */
const MAX_NAME = 100;
const MAX_NOTE = 1_000;

/** Asks for the name of an address, and what to note of it. */
export function ContactDialog({
  contact,
  newAddress = "",
  onSave,
  onClose,
}: {
  /** The one that is changed; missing for a new one. */
  contact: Contact | undefined;
  /** What a new one starts with. */
  newAddress?: string;
  onSave: (contact: Contact) => Promise<unknown>;
  onClose: () => void;
}) {
  const { contacts: texts, drive, ui } = useMessages();
  const book = useContactBook();
  const [typed, setTyped] = useState(contact?.address ?? newAddress);
  const [name, setName] = useState(contact?.name ?? "");
  const [note, setNote] = useState(contact?.note ?? "");
  const saving = useAction();
  const isBusy = saving.status === "busy";
  const lookup = useEnsAddress(contact ? "" : typed.trim());
  // What is saved is what is shown now.
  const address = lookup.status === "found" ? lookup.address : typed.trim();
  // Another device may have changed it since the form was opened, which does not show it.
  const ens = lookup.status === "found" ? lookup.name : contact && book.find(contact.address)?.ens;
  const known = contact ? undefined : book.find(address);
  // Those of EVM chains have a checksum.
  const isInvalid = saving.status === "failed" && isKeeplightError(saving.error, "INVALID_ADDRESS");
  const addressProblem = isZeroAddress(address)
    ? texts.nobody
    : isInvalid
      ? texts.invalid
      : known && texts.known(toSafeName(known.name));
  const nameProblem = toSafeName(name) === name ? undefined : texts.hidden;
  const noteProblem = toSafeName(note) === note ? undefined : texts.hidden;
  const isComplete = isAddress(address) && name.trim() !== "" && !known && !nameProblem && !noteProblem;
  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (!isComplete || isBusy) return;
    if (await saving.run(() => onSave({ address, name: name.trim(), note: note.trim(), ens }))) onClose();
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
          <ContactAddressField
            value={typed}
            lookup={lookup}
            problem={addressProblem}
            onChange={(text) => {
              setTyped(text);
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
