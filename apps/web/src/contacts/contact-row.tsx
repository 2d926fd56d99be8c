import type { Contact } from "@keeplight/drive";
import { useMessages } from "../messages/language.ts";
import { AddressBadge } from "../shell/address-badge.tsx";
import { IconButton } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { FileName } from "../ui/file-name.tsx";
import { useContactBook } from "./contact-book.tsx";

/** A contact with its whole address, and buttons to change and to remove it. */
export function ContactRow({
  contact: { address, name, note },
  onEdit,
  onRemove,
}: {
  contact: Contact;
  onEdit: () => void;
  onRemove: () => void;
}) {
  const { contacts: texts } = useMessages();
  // Contacts of one name have buttons of different names.
  const who = useContactBook().describe(address);
  return (
    <li className="contact-row">
      <AddressBadge address={address} />
      <div className="contact-text">
        <strong>
          <FileName>{name}</FileName>
        </strong>
        <p className="mono quiet contact-address">{address}</p>
        {note !== "" && (
          <p>
            <FileName>{note}</FileName>
          </p>
        )}
      </div>
      <div className="contact-buttons">
        <CopyButton text={address} what={texts.addressOf(who)} />
        <IconButton icon="edit" label={texts.edit(who)} onClick={onEdit} />
        <IconButton icon="trash" label={texts.remove(who)} onClick={onRemove} />
      </div>
    </li>
  );
}
