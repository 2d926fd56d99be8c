import { useState } from "react";
import { toArchiveName } from "../folder/archive-paths.ts";
import { useMessages } from "../messages/language.ts";
import { useSession } from "../session/session.ts";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { useAction } from "../ui/use-action.ts";

/** Creates a link that holds the file's key, for people without a wallet. It is in this page's memory only. */
export function KeyLink({ cid, name }: { cid: string; name: string | undefined }) {
  const { people, file } = useMessages();
  const { signer, network } = useSession();
  const [isAsking, setAsking] = useState(false);
  const [link, setLink] = useState<string>();
  const creating = useAction();
  const create = async () => {
    await creating.run(async (signal) => {
      const page = `${location.origin}${location.pathname}`;
      const suggested = name === undefined || name === cid ? {} : { name: toLinkName(name) };
      const { createShareLink } = await import("@keeplight/recovery");
      const { endpoints, pauseMs } = network;
      setLink(await createShareLink(cid, { signer, endpoints, pauseMs, page, signal, ...suggested }));
    });
    setAsking(false);
  };
  return (
    <div className="share-link">
      <p className="quiet">{link === undefined ? people.keyLinkHint : people.keyLinkCreated}</p>
      {link === undefined ? (
        <Button kind="quiet" onClick={() => setAsking(true)}>
          {people.createKeyLink}
        </Button>
      ) : (
        <CopyButton text={link} what={file.link} label={people.copyKeyLink} secret />
      )}
      {creating.status === "failed" && <ErrorNote error={creating.error} />}
      {isAsking && (
        <ConfirmDialog
          title={people.keyLinkTitle}
          action={people.keyLinkAction}
          busy={creating.status === "busy"}
          onConfirm={create}
          onCancel={() => creating.status === "busy" || setAsking(false)}
        >
          <p>{people.keyLinkBody}</p>
          <p>
            <strong>{people.keyLinkStrong}</strong> {people.keyLinkWarning}
          </p>
        </ConfirmDialog>
      )}
    </div>
  );
}

/** Names in links are such that every system can write them, and not hidden. */
function toLinkName(name: string): string {
  return toArchiveName(name).replace(/^\./, "_");
}
