import { type FormEvent, useState } from "react";
import { useMessages } from "../messages/language.ts";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { findLink } from "./find-link.ts";
import { showLink } from "./received-link.ts";

/** Opens another account's file, by its CID or a link. */
export function OpenForm() {
  const { shared } = useMessages();
  const [text, setText] = useState("");
  const link = findLink(text);
  const open = (event: FormEvent) => {
    event.preventDefault();
    if (link?.startsWith("#keeplight=")) {
      const url = new URL(link, location.href).href;
      // Not of any screen, so that a click on each leads away from the link.
      history.replaceState(null, "", url.slice(0, url.indexOf("#")));
      showLink(url);
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
