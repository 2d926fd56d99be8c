import type { MouseEvent } from "react";
import { useMessages } from "../messages/language.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { FileName, toSafeName } from "../ui/file-name.tsx";

/** Names that are listed; there may be thousands. */
const LISTED = 5;

/** Asks what to do with files whose names are taken in their folder. */
export function ReplaceDialog({
  names,
  onReplace,
  onKeepBoth,
  onCancel,
}: {
  names: readonly string[];
  onReplace: () => void;
  onKeepBoth: () => void;
  onCancel: () => void;
}) {
  const { drive: texts, ui } = useMessages();
  // The second click of a double click is no answer to the question that follows.
  const answer =
    (give: () => void) =>
    ({ detail }: MouseEvent) => {
      if (detail <= 1) give();
    };
  return (
    <Dialog title={texts.replaceTitle(toSafeName(names[0] ?? ""), names.length)} onClose={onCancel}>
      {names.length > 1 && (
        <ul className="dialog-files">
          {names.slice(0, LISTED).map((name) => (
            <li key={name}>
              <FileName>{name}</FileName>
            </li>
          ))}
          {names.length > LISTED && <li className="quiet">{texts.more(names.length - LISTED)}</li>}
        </ul>
      )}
      <p>{texts.replaceHint}</p>
      <div className="dialog-actions">
        <Button kind="quiet" onClick={onCancel}>
          {ui.cancel}
        </Button>
        <Button onClick={answer(onReplace)}>{texts.replace}</Button>
        <Button kind="primary" onClick={answer(onKeepBoth)}>
          {texts.keepBoth}
        </Button>
      </div>
    </Dialog>
  );
}
