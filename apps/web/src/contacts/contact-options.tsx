import type { Contact } from "@keeplight/drive";
import type { Ref } from "react";
import { shorten } from "../messages/format.ts";
import { useMessages } from "../messages/language.ts";
import { AddressBadge } from "../shell/address-badge.tsx";
import { FileName } from "../ui/file-name.tsx";

/** The contacts that can be chosen below a field, which keeps the focus. Those of one name differ by their addresses. */
export function ContactOptions({
  ref,
  id,
  contacts,
  active,
  onChoose,
}: {
  ref: Ref<HTMLDivElement>;
  id: string;
  contacts: readonly Contact[];
  /** Index of the one that the arrow keys have reached; -1 for none. */
  active: number;
  onChoose: (contact: Contact) => void;
}) {
  const { contacts: texts } = useMessages();
  return (
    <div ref={ref} id={id} className="contact-options" role="listbox" aria-label={texts.title}>
      {contacts.map((contact, at) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus, and the keys
        <div
          key={contact.address}
          id={`${id}-${at}`}
          role="option"
          tabIndex={-1}
          aria-selected={at === active}
          title={contact.address}
          // The field would lose the focus, and close the list.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(contact)}
        >
          <AddressBadge address={contact.address} size={24} />
          <span className="contact-option">
            <strong>
              <FileName>{contact.name}</FileName>
            </strong>{" "}
            <span className="mono quiet">{shorten(contact.address, 10, 8)}</span>
          </span>
        </div>
      ))}
    </div>
  );
}
