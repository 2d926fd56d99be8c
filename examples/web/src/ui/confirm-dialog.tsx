import { type MouseEvent, type ReactNode, useId, useLayoutEffect, useRef } from "react";
import { useMessages } from "../messages/language.ts";
import { Button } from "./button.tsx";

/**
 * Asks before something that cannot be undone, or that costs money. Escape and the backdrop cancel; the focus starts on Cancel, and returns
 * to what opened the dialog.
 */
export function ConfirmDialog({
  title,
  action,
  kind = "danger",
  busy = false,
  children,
  onConfirm,
  onCancel,
}: {
  title: string;
  /** Label of the button that confirms. */
  action: string;
  kind?: "danger" | "primary";
  busy?: boolean;
  children: ReactNode;
  onConfirm: () => void;
  onCancel: () => void;
}) {
  const { ui } = useMessages();
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  // Before the element is removed: closing it returns the focus.
  useLayoutEffect(() => {
    const shown = dialog.current;
    if (!shown?.open) shown?.showModal();
    return () => shown?.close();
  }, []);

  // The second click of a double click on what opened the dialog is no consent.
  const confirm = ({ detail }: MouseEvent) => {
    if (detail <= 1) onConfirm();
  };
  const cancelOutside = ({ target, detail }: MouseEvent) => {
    if (target === dialog.current && detail <= 1) onCancel();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape does what a click on the backdrop does
    <dialog
      ref={dialog}
      className="dialog"
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onCancel();
      }}
      onClick={cancelOutside}
    >
      <div className="dialog-body">
        <h2 id={id}>{title}</h2>
        {children}
        <div className="dialog-actions">
          <Button kind="quiet" onClick={onCancel} disabled={busy}>
            {ui.cancel}
          </Button>
          <Button kind={kind} onClick={confirm} busy={busy}>
            {action}
          </Button>
        </div>
      </div>
    </dialog>
  );
}
