import { type FormEvent, useState } from "react";
import type { Messages } from "../messages/en.ts";
import { useMessages } from "../messages/language.ts";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";

/** Asks for the address to share with. Nothing is sent for one that has access already. */
export function ShareForm({
  owner,
  sharedTo,
  hint,
  busy,
  disabled = false,
  onShare,
}: {
  owner: string;
  sharedTo: readonly string[];
  /** What the address will be able to do. */
  hint: string;
  busy: boolean;
  /** Whether nothing can be shared now. */
  disabled?: boolean;
  /** Resolves to whether it succeeded. */
  onShare: (address: string) => Promise<boolean>;
}) {
  const { people } = useMessages();
  const [recipient, setRecipient] = useState("");
  const address = recipient.trim();
  const problem = findProblem(address, owner, sharedTo, people);
  const share = async (event: FormEvent) => {
    event.preventDefault();
    if (address === "" || problem || busy || disabled) return;
    if (await onShare(address)) setRecipient("");
  };
  return (
    <form onSubmit={share} className="stack">
      <TextField
        label={people.address}
        placeholder="0x…"
        required
        value={recipient}
        problem={problem}
        onChange={({ target }) => setRecipient(target.value)}
        hint={hint}
      />
      <Button kind="primary" type="submit" busy={busy} disabled={disabled || address === "" || problem !== undefined}>
        {people.share}
      </Button>
    </form>
  );
}

/** Addresses of EVM chains are the same in either case. */
function findProblem(
  address: string,
  owner: string,
  sharedTo: readonly string[],
  people: Messages["people"],
): string | undefined {
  const normalize = (text: string) => (/^0x/i.test(text) ? text.toLowerCase() : text);
  if (normalize(address) === normalize(owner)) return people.ownAddress;
  if (sharedTo.some((known) => normalize(known) === normalize(address))) return people.hasAccess;
  return undefined;
}
