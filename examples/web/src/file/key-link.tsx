import { useKit } from "keeplight/react";
import { useState } from "react";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { toSafeName } from "../ui/file-name.tsx";
import { useAction } from "../ui/use-action.ts";

/** Creates a link that holds the file's key, for people without a wallet. It is in this page's memory only. */
export function KeyLink({ cid, name }: { cid: string; name: string | undefined }) {
  const kit = useKit();
  const [isAsking, setAsking] = useState(false);
  const [link, setLink] = useState<string>();
  const creating = useAction();
  const create = async () => {
    await creating.run(async (signal) => {
      const page = `${location.origin}${location.pathname}`;
      const suggested = name === undefined || name === cid ? {} : { name: toLinkName(name) };
      setLink(await kit.createShareLink(cid, { page, signal, ...suggested }));
    });
    setAsking(false);
  };
  return (
    <div className="share-link">
      <p className="quiet">
        {link === undefined
          ? "No wallet? A link can hold the key itself. Everyone who gets it can open the file, for good."
          : "This link holds the file’s key. Send it only to people you trust: it can’t be revoked."}
      </p>
      {link === undefined ? (
        <Button icon="link" onClick={() => setAsking(true)}>
          Create open link
        </Button>
      ) : (
        <CopyButton text={link} what="link" label="Copy open link" secret />
      )}
      {creating.status === "failed" && <ErrorNote error={creating.error} />}
      {isAsking && (
        <ConfirmDialog
          title="Create a link that opens the file?"
          action="Create link"
          busy={creating.status === "busy"}
          onConfirm={create}
          onCancel={() => creating.status === "busy" || setAsking(false)}
        >
          <p>
            The link holds the file’s key. Anyone who has it can open the file without a wallet, and it can be passed
            on.
          </p>
          <p>
            <strong>It can’t be revoked.</strong> Removing people, or changing the rules, doesn’t stop it. To share with
            access that you can end, use a wallet address.
          </p>
        </ConfirmDialog>
      )}
    </div>
  );
}

/** Names in links have no path, and at most 255 characters. */
function toLinkName(name: string): string {
  return toSafeName(name).replaceAll(/[/\\]/g, "_").slice(0, 255);
}
