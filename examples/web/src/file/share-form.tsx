import { type FormEvent, useState } from "react";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";

/** Asks for the address to share with. Nothing is sent for one that has access already. */
export function ShareForm({
  owner,
  sharedTo,
  busy,
  onShare,
}: {
  owner: string;
  sharedTo: readonly string[];
  busy: boolean;
  /** Resolves to whether it succeeded. */
  onShare: (address: string) => Promise<boolean>;
}) {
  const [recipient, setRecipient] = useState("");
  const address = recipient.trim();
  const problem = findProblem(address, owner, sharedTo);
  const share = async (event: FormEvent) => {
    event.preventDefault();
    if (address === "" || problem || busy) return;
    if (await onShare(address)) setRecipient("");
  };
  return (
    <form onSubmit={share} className="stack">
      <TextField
        label="Wallet address"
        placeholder="0x…"
        required
        value={recipient}
        problem={problem}
        onChange={({ target }) => setRecipient(target.value)}
        hint="This address will be able to open the file."
      />
      <Button kind="primary" type="submit" busy={busy} disabled={address === "" || problem !== undefined}>
        Share
      </Button>
    </form>
  );
}

/** Addresses of EVM chains are the same in either case. */
function findProblem(address: string, owner: string, sharedTo: readonly string[]): string | undefined {
  const normalize = (text: string) => (/^0x/i.test(text) ? text.toLowerCase() : text);
  if (normalize(address) === normalize(owner)) return "That’s your own address. You can open the file already.";
  if (sharedTo.some((known) => normalize(known) === normalize(address))) return "This address has access already.";
  return undefined;
}
