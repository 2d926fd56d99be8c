import type { EnsLookup } from "../ens/use-ens-address.ts";
import { useMessages } from "../messages/language.ts";
import { toSafeName } from "../ui/file-name.tsx";
import { useContactBook } from "./contact-book.tsx";

/** What to do with what is typed in place of an address: a part of a name, or an ENS name that is looked up. */
export function EnsHint({ lookup }: { lookup: EnsLookup }) {
  const { contacts: texts } = useMessages();
  const { contacts } = useContactBook();
  if (lookup.status === "none") return texts.choose;
  if (lookup.status === "looking") return texts.ens.looking;
  if (lookup.status === "failed") return texts.ens.problems[lookup.problem];
  const { name, address } = lookup;
  const before = contacts.find((contact) => contact.ens === name && contact.address !== address);
  return before ? texts.ens.ledElsewhere(toSafeName(before.name)) : texts.ens.choose;
}
