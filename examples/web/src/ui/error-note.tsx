import type { ReactNode } from "react";
import { explainError } from "../messages/explain-error.ts";
import { useMessages } from "../messages/language.ts";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";

/** An error, what to do about it, and buttons for that. */
export function ErrorNote({
  error,
  retry,
  children,
}: {
  error: unknown;
  /** Tries again what has failed. */
  retry?: () => void;
  /** Other buttons. */
  children?: ReactNode;
}) {
  const { ui } = useMessages();
  const { title, advice } = explainError(error);
  return (
    <div className="note note-error" role="alert">
      <Icon name="warning" />
      <div>
        <p className="note-title">{title}</p>
        <p>{advice}</p>
        {(retry || children) && (
          <div className="note-actions">
            {retry && (
              <Button icon="retry" onClick={retry}>
                {ui.tryAgain}
              </Button>
            )}
            {children}
          </div>
        )}
      </div>
    </div>
  );
}
