import type { ReactNode } from "react";
import { explainError } from "../words/explain-error.ts";
import { Icon } from "./icon.tsx";

/** What went wrong, what to do about it, and a button that does it. */
export function ErrorNote({ error, children }: { error: unknown; children?: ReactNode }) {
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
