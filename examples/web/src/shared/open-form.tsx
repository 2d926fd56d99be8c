import { type FormEvent, useState } from "react";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { findLink } from "./find-link.ts";
import { showLink } from "./received-link.ts";

/** Opens another account's file, by its CID or a link. */
export function OpenForm() {
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
        label="Link or CID"
        value={text}
        required
        onChange={({ target }) => setText(target.value)}
        hint={
          text.trim() !== "" && !link
            ? "No CID found. CIDs start with “bafy”, “bafk” or “Qm”."
            : "Encrypted files open if the owner shared with your address."
        }
      />
      <Button kind="primary" type="submit" disabled={!link}>
        Open
      </Button>
    </form>
  );
}
