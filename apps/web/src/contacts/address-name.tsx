import { shorten } from "../messages/format.ts";
import { FileName } from "../ui/file-name.tsx";
import { useContactBook } from "./contact-book.tsx";

/** An address, shortened, after the name that the account has given to it. A name is never shown without its address. */
export function AddressName({ address, head = 6, tail = 4 }: { address: string; head?: number; tail?: number }) {
  const contact = useContactBook().find(address);
  const short = <span className="mono">{shorten(address, head, tail)}</span>;
  if (!contact) return short;
  return (
    <span className="address-name">
      <strong title={contact.name}>
        <FileName>{contact.name}</FileName>
      </strong>{" "}
      {short}
    </span>
  );
}
