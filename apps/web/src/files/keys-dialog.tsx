import { useMessages } from "../messages/language.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** Lists the keys of the files screen. Several of one row do the same. */
export function KeysDialog({ onClose }: { onClose: () => void }) {
  const { keys: texts, ui } = useMessages();
  const main = isMac ? "⌘" : "Ctrl";
  const rows: readonly (readonly [what: string, ...keys: string[]])[] = [
    [texts.move, "↑", "↓"],
    [texts.jump, texts.pageUp, texts.pageDown, texts.home, texts.end],
    [texts.find, texts.letters],
    [texts.controls, "→", "←"],
    [texts.open, texts.enter],
    [texts.up, texts.backspace, "Alt ↑"],
    [texts.select, texts.space, `${main} ${texts.click}`],
    [texts.extend, "Shift ↑", "Shift ↓", `Shift ${texts.click}`],
    [texts.selectAll, `${main} A`],
    [texts.clear, texts.escape],
    [texts.rename, "F2"],
    [texts.trash, texts.delete],
    [texts.undo, `${main} Z`],
    [texts.help, "?"],
  ];
  return (
    <Dialog title={texts.title} onClose={onClose}>
      <dl className="keys">
        {rows.map(([what, ...keys]) => (
          <div key={what}>
            <dt>{what}</dt>
            <dd>
              {keys.map((each) => (
                <kbd key={each}>{each}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
      <p className="quiet">{texts.hint}</p>
      <div className="dialog-actions">
        <Button onClick={onClose}>{ui.close}</Button>
      </div>
    </Dialog>
  );
}
