import type { MouseEvent, ReactNode } from "react";
import { useMessages } from "../messages/language.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";

/** Asks before something that cannot be undone, or that costs money. Escape and the backdrop cancel; the focus starts on Cancel. */
export function ConfirmDialog({
  title,
  action,
  kind = "danger",
  busy = false,
  disabled = false,
  children,
  onConfirm,
  onCancel,
}: {
  title: string;
  /** Label of the button that confirms. */
  action: string;
  kind?: "danger" | "primary";
  busy?: boolean;
  /** Whether there is nothing to confirm yet. */
  disabled?: boolean;
  children: ReactNode;
  onConfirm: () => void;
  onCancel: () => void;
}) {
  const { ui } = useMessages();
  // The second click of a double click on what opened the dialog is no consent.
  const confirm = ({ detail }: MouseEvent) => {
    if (detail <= 1) onConfirm();
  };
  return (
    <Dialog title={title} onClose={onCancel}>
      {children}
      <div className="dialog-actions">
        <Button kind="quiet" onClick={onCancel} disabled={busy}>
          {ui.cancel}
        </Button>
        <Button kind={kind} onClick={confirm} busy={busy} disabled={disabled}>
          {action}
        </Button>
      </div>
    </Dialog>
  );
}
