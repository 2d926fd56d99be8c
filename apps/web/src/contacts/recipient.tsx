import { shorten } from "../messages/format.ts";
import { useMessages } from "../messages/language.ts";
import { FileName } from "../ui/file-name.tsx";
import { useContactBook } from "./contact-book.tsx";

/** Whom a whole address belongs to, and both of its ends, which a narrow field cuts off. */
export function Recipient({ address }: { address: string }) {
  const { contacts: texts } = useMessages();
  const contact = useContactBook().find(address);
  return (
    <span className="recipient-lines">
      {contact ? (
        <strong title={contact.name}>
          <FileName>{contact.name}</FileName>
        </strong>
      ) : (
        <span>{texts.unknown}</span>
      )}
      <span className="mono">{shorten(address, 10, 8)}</span>
    </span>
  );
}
