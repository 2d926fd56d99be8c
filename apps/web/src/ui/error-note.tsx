import { type ReactNode, useEffect, useRef } from "react";
import { useMessages } from "../messages/language.ts";
import { useExplain } from "../messages/use-explain.ts";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";

/** An error, what to do about it, and buttons for that. */
export function ErrorNote({
  error,
  retry,
  isResult = false,
  children,
}: {
  error: unknown;
  /** Tries again what has failed. */
  retry?: () => void;
  /** Whether it is the result of what was pressed, which may be elsewhere: it is scrolled into view. */
  isResult?: boolean;
  /** Other buttons. */
  children?: ReactNode;
}) {
  const { ui } = useMessages();
  const { title, advice } = useExplain()(error);
  const note = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isResult) note.current?.scrollIntoView({ block: "nearest" });
  }, [isResult]);
  return (
    <div ref={note} className="note note-error" role="alert">
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
