import type { Contact } from "@keeplight/drive";
import type { EnsResult } from "../ens/look-up-ens.ts";
import { useMessages } from "../messages/language.ts";
import { AddressBadge } from "../shell/address-badge.tsx";
import { IconButton } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { FileName } from "../ui/file-name.tsx";
import { useContactBook } from "./contact-book.tsx";
import { EnsStatus } from "./ens-status.tsx";

/** A contact with its whole address, and buttons to change and to remove it. */
export function ContactRow({
  contact,
  ensResult,
  onReview,
  onEdit,
  onRemove,
}: {
  contact: Contact;
  /** Where its ENS name leads now; missing until that was looked up. */
  ensResult: EnsResult | undefined;
  /** Asks what to do about an ENS name that leads elsewhere. */
  onReview: () => void;
  onEdit: () => void;
  onRemove: () => void;
}) {
  const { contacts: texts } = useMessages();
  const { address, name, note, ens } = contact;
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
        {ens !== undefined && <EnsStatus contact={contact} result={ensResult} onReview={onReview} />}
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
