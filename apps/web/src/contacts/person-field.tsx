import type { Contact } from "@keeplight/drive";
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import type { ResolvedName } from "../ens/resolve-ens.ts";
import { useEnsAddress } from "../ens/use-ens-address.ts";
import type { Messages } from "../messages/en.ts";
import { shorten } from "../messages/format.ts";
import { useMessages } from "../messages/language.ts";
import { TextField } from "../ui/field.tsx";
import { toSafeName } from "../ui/file-name.tsx";
import { useContactBook } from "./contact-book.tsx";
import { ContactOptions, type PersonOption } from "./contact-options.tsx";
import { EnsHint } from "./ens-hint.tsx";
import { findContacts, isAddress, isZeroAddress } from "./find-contacts.ts";
import { Recipient } from "./recipient.tsx";

/** How many contacts are listed; a longer part of the name finds the others. */
const MAX_LISTED = 50;

/**
 * Asks for an address, which is pasted, or chosen by a part of the name that the account has given to it, or by its ENS name (a
 * combobox, as WAI-ARIA describes it). What is chosen is put in the field as an address, so that it is seen what is about to be
 * used.
 */
export function PersonField({
  label,
  hint,
  problem,
  value,
  onChange,
}: {
  label: string;
  /** What the address will be able to do. */
  hint: ReactNode;
  problem: string | undefined;
  value: string;
  onChange: (value: string) => void;
}) {
  const { contacts: texts } = useMessages();
  const { contacts, describe } = useContactBook();
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const [isAsked, setAsked] = useState(false);
  /** Index of the option that the arrow keys have reached; -1 for none. */
  const [active, setActive] = useState(-1);
  const text = value.trim();
  const isWhole = isAddress(text);
  const lookup = useEnsAddress(text);
  const found = lookup.status === "found" ? [toOption(lookup, contacts, texts)] : [];
  // A name that is found later is last: it must not move what is about to be clicked.
  const options = isAsked && !isWhole ? [...findContacts(contacts, text).slice(0, MAX_LISTED), ...found] : [];
  const isOpen = options.length > 0;
  useEffect(() => {
    if (active >= 0) list.current?.children[active]?.scrollIntoView({ block: "nearest" });
  }, [active]);

  const ask = (isNow: boolean) => {
    setAsked(isNow);
    setActive(-1);
  };
  const choose = ({ address }: PersonOption) => {
    onChange(address);
    ask(false);
  };
  const move = (by: number) => {
    if (!isOpen) return ask(true);
    setActive((active + by + options.length + (active < 0 && by < 0 ? 1 : 0)) % options.length);
  };
  const press = (event: KeyboardEvent) => {
    const { key } = event;
    if (event.nativeEvent.isComposing) return;
    const chosen = options[active];
    if (key === "ArrowDown") move(1);
    else if (key === "ArrowUp") move(-1);
    else if (key === "Enter" && chosen) choose(chosen);
    // Otherwise it closes the dialog that the field is in.
    else if (key === "Escape" && isOpen) ask(false);
    else return;
    event.preventDefault();
  };
  const note = isWhole ? <Recipient address={text} /> : text === "" ? hint : <EnsHint lookup={lookup} />;
  const announce = () => {
    if (isOpen && lookup.status === "found") return texts.ens.found(lookup.name, shorten(lookup.address, 10, 8));
    return isOpen ? texts.matches(options.length) : isWhole ? describe(text) : "";
  };
  return (
    <div className="person-field">
      <TextField
        label={label}
        placeholder={texts.addressExample}
        required
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        aria-activedescendant={isOpen && active >= 0 ? `${id}-${active}` : undefined}
        value={value}
        problem={isZeroAddress(text) ? texts.nobody : problem}
        hint={note}
        onChange={({ target }) => {
          onChange(target.value);
          ask(true);
        }}
        onClick={() => ask(true)}
        onBlur={() => ask(false)}
        onKeyDown={press}
      >
        {isOpen && <ContactOptions ref={list} id={id} options={options} active={active} onChoose={choose} />}
      </TextField>
      <p className="visually-hidden" role="status">
        {announce()}
      </p>
    </div>
  );
}

/** Returns an ENS name to choose. It may have led elsewhere when a contact was saved by it. */
function toOption({ name, address }: ResolvedName, contacts: readonly Contact[], texts: Messages["contacts"]) {
  const before = contacts.find((contact) => contact.ens === name && contact.address !== address);
  const warning = before && texts.ens.ledElsewhere(toSafeName(before.name));
  return { name, address, isEns: true, warning } satisfies PersonOption;
}
