import type { Contact } from "@keeplight/drive";
import { useMessages } from "../messages/language.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { toSafeName } from "../ui/file-name.tsx";
import { useAction } from "../ui/use-action.ts";
import { useContactBook } from "./contact-book.tsx";
import type { ContactActions } from "./use-contact-actions.ts";

/** Asks which address a contact is to have, once its ENS name leads to another one than when it was saved. */
export function EnsChangeDialog({
  contact,
  address,
  actions,
  onClose,
}: {
  contact: Contact;
  /** Where the name leads now. */
  address: string;
  actions: Pick<ContactActions, "save" | "move">;
  onClose: () => void;
}) {
  const { contacts: texts, ui } = useMessages();
  const other = useContactBook().find(address);
  const changing = useAction();
  const isBusy = changing.status === "busy";
  const { name, ens = "" } = contact;
  const change = async (work: () => Promise<void>) => {
    if (await changing.run(work)) onClose();
  };
  return (
    <Dialog title={texts.ens.movedTitle(toSafeName(ens))} onClose={() => isBusy || onClose()}>
      <div className="stack contact-form">
        <p>{texts.ens.movedBody(toSafeName(name))}</p>
        <dl className="ens-addresses">
          <dt>{texts.ens.savedAddress}</dt>
          <dd className="mono contact-address">{contact.address}</dd>
          <dt>{texts.ens.newAddress}</dt>
          <dd className="mono contact-address">{address}</dd>
        </dl>
        {other && <p role="note">{texts.known(toSafeName(other.name))}</p>}
        {changing.status === "failed" && <ErrorNote error={changing.error} />}
        <div className="dialog-actions">
          <Button kind="quiet" onClick={onClose} disabled={isBusy}>
            {ui.cancel}
          </Button>
          <Button disabled={isBusy} onClick={() => change(() => actions.save({ ...contact, ens: undefined }))}>
            {texts.ens.keepSaved}
          </Button>
          <Button disabled={isBusy || other !== undefined} onClick={() => change(() => actions.move(contact, address))}>
            {texts.ens.useNew}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
