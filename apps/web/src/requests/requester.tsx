import { useState } from "react";
import { useContactBook } from "../contacts/contact-book.tsx";
import { ContactDialog } from "../contacts/contact-dialog.tsx";
import { useContactActions } from "../contacts/use-contact-actions.ts";
import { useMessages } from "../messages/language.ts";
import { useSession } from "../session/session.ts";
import { AddressBadge } from "../shell/address-badge.tsx";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { FileName, toSafeName } from "../ui/file-name.tsx";
import type { AccessRequest } from "./access-request.ts";

/** Who asks, by the link: the account's own name of the address, if it has one, all of the address, and the note. */
export function Requester({ request: { from, note } }: { request: AccessRequest }) {
  const { requests, contacts } = useMessages();
  const { journal } = useSession();
  const contact = useContactBook().find(from);
  const { save } = useContactActions();
  const [isNaming, setNaming] = useState(false);
  return (
    <section className="card stack" aria-labelledby="requester-title">
      <h2 id="requester-title">{requests.who}</h2>
      <div className="requester">
        <AddressBadge address={from} />
        <div>
          <strong>{contact ? <FileName>{contact.name}</FileName> : contacts.unknown}</strong>
          <p className="mono quiet contact-address">{from}</p>
        </div>
        <CopyButton text={from} what={contacts.addressOf(contact ? toSafeName(contact.name) : from)} />
      </div>
      <p>{contact ? requests.compareKnown(toSafeName(contact.name)) : requests.compareUnknown}</p>
      {note !== "" && (
        <figure className="request-note">
          <figcaption className="quiet">{requests.theirNote}</figcaption>
          <blockquote>
            <FileName>{note}</FileName>
          </blockquote>
        </figure>
      )}
      {!contact && journal && (
        <div>
          <Button icon="plus" onClick={() => setNaming(true)}>
            {contacts.add}
          </Button>
        </div>
      )}
      {isNaming && (
        <ContactDialog contact={undefined} newAddress={from} onSave={save} onClose={() => setNaming(false)} />
      )}
    </section>
  );
}
