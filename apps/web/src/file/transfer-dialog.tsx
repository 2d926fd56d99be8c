import { useState } from "react";
import { isAddress } from "../contacts/find-contacts.ts";
import { PersonField } from "../contacts/person-field.tsx";
import { useMessages } from "../messages/language.ts";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { TextField } from "../ui/field.tsx";

/** How many characters of the address are asked for once more: one that was pasted may have been replaced in the clipboard. */
const TYPED_AGAIN = 4;

/** Asks whom a file is given to. Its links are ended first: nobody but its owner could end them. */
export function TransferDialog({
  owner,
  hasLinks,
  busy,
  onTransfer,
  onClose,
}: {
  owner: string;
  hasLinks: boolean;
  busy: boolean;
  onTransfer: (newOwner: string) => void;
  onClose: () => void;
}) {
  const { people } = useMessages();
  const [recipient, setRecipient] = useState("");
  const [ending, setEnding] = useState("");
  const newOwner = recipient.trim();
  const isOwn = newOwner.toLowerCase() === owner.toLowerCase();
  const isTyped = ending.trim().toLowerCase() === newOwner.slice(-TYPED_AGAIN).toLowerCase();
  return (
    <ConfirmDialog
      title={people.transferAsk}
      action={people.transfer}
      busy={busy}
      disabled={hasLinks || isOwn || !isTyped || !isAddress(newOwner)}
      onConfirm={() => onTransfer(newOwner)}
      onCancel={() => busy || onClose()}
    >
      <p>{people.transferBody}</p>
      <p>
        <strong>{hasLinks ? people.transferLinks : people.transferStrong}</strong>
      </p>
      <div className="stack">
        <PersonField
          label={people.newOwner}
          value={recipient}
          problem={isOwn ? people.ownerAlready : undefined}
          hint={people.newOwnerHint}
          onChange={setRecipient}
        />
        <TextField
          label={people.lastFour}
          hint={people.lastFourHint}
          value={ending}
          maxLength={TYPED_AGAIN}
          problem={ending.length === TYPED_AGAIN && !isTyped ? people.lastFourWrong : undefined}
          onChange={({ target }) => setEnding(target.value)}
        />
      </div>
    </ConfirmDialog>
  );
}
