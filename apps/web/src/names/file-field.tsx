import type { ListedFile } from "keeplight";
import { type KeyboardEvent, useId, useMemo, useState } from "react";
import { shorten } from "../messages/format.ts";
import { useMessages } from "../messages/language.ts";
import { FileName, toSafeName } from "../ui/file-name.tsx";

/** Suggestions shown at once; typing narrows them down. */
const SHOWN = 6;

/** A field for a CID, which suggests the account's files by name. */
export function FileField({
  files,
  value,
  onChange,
}: {
  files: readonly ListedFile[];
  value: string;
  onChange: (value: string) => void;
}) {
  const { names } = useMessages();
  const id = useId();
  const [isOpen, setIsOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const found = useMemo(() => (isOpen ? findFiles(files, value) : []), [files, value, isOpen]);
  const change = (typed: string, open: boolean) => {
    onChange(typed);
    setIsOpen(open);
    setActive(-1);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const chosen = found[active];
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      setIsOpen(true);
      const step = event.key === "ArrowDown" ? 1 : -1;
      if (found.length > 0) setActive((active + step + found.length) % found.length);
    } else if (event.key === "Enter") {
      if (chosen) event.preventDefault();
      // Otherwise what was typed is submitted.
      change(chosen?.cid ?? value, false);
    } else if (event.key === "Escape" && isOpen) {
      event.preventDefault();
      setIsOpen(false);
    }
  };
  return (
    <div className="file-field">
      <label htmlFor={id} className="visually-hidden">
        {names.target}
      </label>
      <input
        id={id}
        role="combobox"
        aria-expanded={found.length > 0}
        aria-controls={`${id}-files`}
        aria-activedescendant={found[active] ? `${id}-${active}` : undefined}
        aria-autocomplete="list"
        required
        placeholder={names.targetHint}
        value={value}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => change(target.value, true)}
        onFocus={() => setIsOpen(true)}
        onBlur={() => setIsOpen(false)}
        onKeyDown={onKeyDown}
      />
      <div id={`${id}-files`} role="listbox" aria-label={names.yourFiles} hidden={found.length === 0}>
        {found.map((file, at) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys
          <div
            key={file.id || file.cid}
            id={`${id}-${at}`}
            role="option"
            tabIndex={-1}
            aria-selected={at === active}
            aria-label={toSafeName(file.fileName ?? file.cid)}
            // The field keeps the focus.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => change(file.cid, false)}
          >
            <FileName>{file.fileName ?? shorten(file.cid)}</FileName>
            <span className="mono quiet">{shorten(file.cid)}</span>
          </div>
        ))}
      </div>
    </div>
  );
}

function findFiles(files: readonly ListedFile[], typed: string): readonly ListedFile[] {
  const looked = typed.trim().toLowerCase();
  const found: ListedFile[] = [];
  for (const file of files) {
    if (file.cid === typed.trim()) return [];
    if (`${file.fileName ?? ""} ${file.cid}`.toLowerCase().includes(looked)) found.push(file);
    if (found.length === SHOWN) break;
  }
  return found;
}
