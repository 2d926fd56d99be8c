import { useState } from "react";
import { useMessages } from "../messages/language.ts";
import { useSession } from "../session/session.ts";
import { useWork } from "../session/use-work.ts";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";

/** Asks before the account's data in this browser is removed. What is not complete has to be given up explicitly. */
export function RemoveDialog({ onClose }: { onClose: () => void }) {
  const { settings, uploads } = useMessages();
  const { signOut } = useSession();
  const { counts } = useWork();
  const work = JSON.stringify(counts);
  /** What may be discarded: not what is interrupted afterwards. */
  const [discarded, setDiscarded] = useState<string>();
  const isDiscarding = discarded === work;
  const isOpen = Object.values(counts).some((count) => count > 0);
  const remove = () => {
    onClose();
    // Without consent it fails if something has started meanwhile, and asks.
    signOut(isOpen ? { discard: true } : undefined);
  };
  return (
    <ConfirmDialog
      title={settings.removeTitle}
      action={settings.removeAction}
      disabled={isOpen && !isDiscarding}
      onConfirm={remove}
      onCancel={onClose}
    >
      <p>{settings.removeLead}</p>
      <ul className="settings-list">
        {Object.entries(settings.removed).map(([name, text]) => (
          <li key={name}>{text}</li>
        ))}
      </ul>
      <p className="quiet">{settings.removeKept}</p>
      {isOpen && (
        <label className="settings-consent">
          <input
            type="checkbox"
            checked={isDiscarding}
            onChange={({ target }) => setDiscarded(target.checked ? work : undefined)}
          />
          {settings.removeOpen(uploads.work(counts))}
        </label>
      )}
    </ConfirmDialog>
  );
}
