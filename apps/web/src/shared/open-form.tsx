import { type FormEvent, useState } from "react";
import { useMessages } from "../messages/language.ts";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { findLink } from "./find-link.ts";
import { openLinkHere } from "./received-link.ts";

/** Opens another account's file, by its CID or a link. */
export function OpenForm() {
  const { shared } = useMessages();
  const [text, setText] = useState("");
  const link = findLink(text);
  const open = (event: FormEvent) => {
    event.preventDefault();
    if (link?.startsWith("#keeplight=")) {
      openLinkHere(new URL(link, location.href).href);
    } else if (link) location.hash = link;
  };
  return (
    <form className="card open-form" onSubmit={open}>
      <TextField
        label={shared.linkOrCid}
        value={text}
        required
        onChange={({ target }) => setText(target.value)}
        hint={text.trim() !== "" && !link ? shared.noCid : shared.openHint}
      />
      <Button kind="primary" type="submit" disabled={!link}>
        {shared.open}
      </Button>
    </form>
  );
}
