import { type FormEvent, useState } from "react";
import { SplitPicture } from "../connect/split-picture.tsx";
import { toHref } from "../routes.ts";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { Screen } from "../ui/screen.tsx";

/** Opens another account's file, by its CID or a link that contains it. */
export function OpenScreen() {
  const [text, setText] = useState("");
  const open = (event: FormEvent) => {
    event.preventDefault();
    const cid = findCid(text);
    if (cid) location.hash = toHref({ screen: "file", cid, tab: "preview" });
  };
  return (
    <Screen title="Open" lead={<p>Has someone shared a file with you? Paste its link or CID.</p>}>
      <div className="columns">
        <form className="card open-form" onSubmit={open}>
          <TextField
            label="Link or CID"
            value={text}
            required
            onChange={({ target }) => setText(target.value)}
            hint={
              text.trim() !== "" && findCid(text) === undefined
                ? "No CID found. CIDs start with “bafy”, “bafk” or “Qm”."
                : "Encrypted files open if the owner shared with your address."
            }
          />
          <Button kind="primary" type="submit" disabled={findCid(text) === undefined}>
            Open
          </Button>
        </form>
        <section className="open-picture" aria-label="How it opens">
          <SplitPicture />
          <p>Three of five key nodes release their part once you’ve proved your address.</p>
        </section>
      </div>
    </Screen>
  );
}

function findCid(text: string): string | undefined {
  return /\b(Qm[1-9A-HJ-NP-Za-km-z]{44}|b[a-z2-7]{58,})\b/.exec(text)?.[1];
}
