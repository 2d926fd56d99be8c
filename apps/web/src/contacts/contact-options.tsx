import type { Ref } from "react";
import { shorten } from "../messages/format.ts";
import { useMessages } from "../messages/language.ts";
import { AddressBadge } from "../shell/address-badge.tsx";
import { FileName } from "../ui/file-name.tsx";

/** Somebody who can be chosen: a contact, or an ENS name that was looked up. */
export interface PersonOption {
  address: string;
  name: string;
  /** Whether `name` is an ENS name, which is no name of the account's own. */
  isEns?: boolean;
  /** What to know before it is chosen. */
  warning?: string | undefined;
}

/** The people that can be chosen below a field, which keeps the focus. Those of one name differ by their addresses. */
export function ContactOptions({
  ref,
  id,
  options,
  active,
  onChoose,
}: {
  ref: Ref<HTMLDivElement>;
  id: string;
  options: readonly PersonOption[];
  /** Index of the one that the arrow keys have reached; -1 for none. */
  active: number;
  onChoose: (option: PersonOption) => void;
}) {
  const { contacts: texts } = useMessages();
  return (
    <div ref={ref} id={id} className="contact-options" role="listbox" aria-label={texts.title}>
      {options.map(({ address, name, isEns, warning }, at) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus, and the keys
        <div
          key={`${isEns} ${address}`}
          id={`${id}-${at}`}
          role="option"
          tabIndex={-1}
          aria-selected={at === active}
          title={address}
          // The field would lose the focus, and close the list.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose({ address, name })}
        >
          <AddressBadge address={address} size={24} />
          <span className="contact-option">
            <strong>
              <FileName>{name}</FileName>
            </strong>{" "}
            <span className="mono quiet">{shorten(address, 10, 8)}</span>
            {warning !== undefined && <span className="hint hint-problem">{warning}</span>}
          </span>
          {isEns && <span className="badge">{texts.ens.badge}</span>}
        </div>
      ))}
    </div>
  );
}
