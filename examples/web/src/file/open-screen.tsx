import { type FormEvent, useState } from "react";
import { SplitPicture } from "../connect/split-picture.tsx";
import { hrefOf } from "../routes.ts";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { Screen } from "../ui/screen.tsx";

/** For files of others: opens one by its content id, or by a link that has it in it. */
export function OpenScreen() {
  const [text, setText] = useState("");
  const open = (event: FormEvent) => {
    event.preventDefault();
    const cid = cidIn(text);
    if (cid) location.hash = hrefOf({ screen: "file", cid, tab: "preview" });
  };
  return (
    <Screen title="Open" lead={<p>Someone shared a file with your address? Paste its link or content id.</p>}>
      <div className="columns">
        <form className="card open-form" onSubmit={open}>
          <TextField
            label="Link or content id"
            value={text}
            required
            onChange={({ target }) => setText(target.value)}
            hint={
              text.trim() !== "" && cidIn(text) === undefined
                ? "There is no content id in this text. They begin with “bafy”, “bafk” or “Qm”."
                : "Its key comes from the key nodes, if the owner has given your address access."
            }
          />
          <Button kind="primary" type="submit" disabled={cidIn(text) === undefined}>
            Open
          </Button>
        </form>
        <section className="open-picture" aria-label="How it opens">
          <SplitPicture />
          <p>Three of the five key nodes each hand out their part of the key, once they know your address.</p>
        </section>
      </div>
    </Screen>
  );
}

function cidIn(text: string): string | undefined {
  return /\b(Qm[1-9A-HJ-NP-Za-km-z]{44}|b[a-z2-7]{58,})\b/.exec(text)?.[1];
}
