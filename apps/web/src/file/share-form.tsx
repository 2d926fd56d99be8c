import { type FormEvent, useState } from "react";
import { normalizeAddress } from "../contacts/contact-book.tsx";
import { isAddress } from "../contacts/find-contacts.ts";
import { PersonField } from "../contacts/person-field.tsx";
import type { Messages } from "../messages/en.ts";
import { useMessages } from "../messages/language.ts";
import { Button } from "../ui/button.tsx";

/** Asks for the address to share with. Nothing is sent for one that has access already. */
export function ShareForm({
  owner,
  sharedTo,
  initial = "",
  hint,
  busy,
  disabled = false,
  onShare,
}: {
  owner: string;
  sharedTo: readonly string[];
  /** Address that the field starts with. */
  initial?: string | undefined;
  /** What the address will be able to do. */
  hint: string;
  busy: boolean;
  /** Whether nothing can be shared now. */
  disabled?: boolean;
  /** Resolves to whether it succeeded. */
  onShare: (address: string) => Promise<boolean>;
}) {
  const { people } = useMessages();
  const [recipient, setRecipient] = useState(initial);
  const address = recipient.trim();
  const problem = findProblem(address, owner, sharedTo, people);
  // The name of a contact is no address, even if only one has it.
  const isReady = isAddress(address) && !problem && !disabled;
  const share = async (event: FormEvent) => {
    event.preventDefault();
    if (!isReady || busy) return;
    if (await onShare(address)) setRecipient("");
  };
  return (
    <form onSubmit={share} className="stack">
      <PersonField label={people.address} value={recipient} problem={problem} onChange={setRecipient} hint={hint} />
      <Button kind="primary" type="submit" busy={busy} disabled={!isReady}>
        {people.share}
      </Button>
    </form>
  );
}

function findProblem(
  address: string,
  owner: string,
  sharedTo: readonly string[],
  people: Messages["people"],
): string | undefined {
  if (normalizeAddress(address) === normalizeAddress(owner)) return people.ownAddress;
  if (sharedTo.some((known) => normalizeAddress(known) === normalizeAddress(address))) return people.hasAccess;
  return undefined;
}
