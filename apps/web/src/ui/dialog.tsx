import { type MouseEvent, type ReactNode, useId, useLayoutEffect, useRef } from "react";

/**
 * A dialog over the page. Escape and the backdrop close it; the focus starts on its first control, and returns to what
 * opened it.
 */
export function Dialog({ title, onClose, children }: { title: string; onClose: () => void; children: ReactNode }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  // Before the element is removed: closing it returns the focus.
  useLayoutEffect(() => {
    const shown = dialog.current;
    if (!shown?.open) shown?.showModal();
    return () => shown?.close();
  }, []);

  // The second click of a double click on what opened the dialog is no wish to close it.
  const closeOutside = ({ target, detail }: MouseEvent) => {
    if (target === dialog.current && detail <= 1) onClose();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape does what a click on the backdrop does
    <dialog
      ref={dialog}
      className="dialog"
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={closeOutside}
    >
      <div className="dialog-body">
        <h2 id={id}>{title}</h2>
        {children}
      </div>
    </dialog>
  );
}
