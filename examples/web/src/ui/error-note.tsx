import type { ReactNode } from "react";
import { explainError } from "../messages/explain-error.ts";
import { useMessages } from "../messages/language.ts";
import { Icon } from "./icon.tsx";

/** An error, what to do about it, and buttons for that. */
export function ErrorNote({ error, children }: { error: unknown; children?: ReactNode }) {
  // Renders again in another language.
  useMessages();
  const { title, advice } = explainError(error);
  return (
    <div className="note note-error" role="alert">
      <Icon name="warning" />
      <div>
        <p className="note-title">{title}</p>
        <p>{advice}</p>
        {children && <div className="note-actions">{children}</div>}
      </div>
    </div>
  );
}
