import { useState } from "react";
import { explainError } from "../messages/explain-error.ts";
import { useMessages } from "../messages/language.ts";
import { useSession } from "../session/session.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/field.tsx";
import { useToast } from "../ui/toasts.tsx";
import { formatAccessRequest, MAX_REQUEST_NOTE } from "./access-request.ts";

/** Makes a link that asks the owner of a file for access. The network delivers no messages: the reader sends it themselves. */
export function AskDialog({ cid, onClose }: { cid: string; onClose: () => void }) {
  const { requests, ui } = useMessages();
  const { address: from } = useSession();
  const toast = useToast();
  const [note, setNote] = useState("");
  const url = `${location.origin}${location.pathname}${formatAccessRequest({ cid, from, note })}`;
  const send = async () => {
    try {
      await navigator.share({ title: requests.linkTitle, url });
    } catch (error) {
      const isCancelled = error instanceof DOMException && error.name === "AbortError";
      if (!isCancelled) toast(explainError(error).title);
    }
  };
  return (
    <Dialog title={requests.ask} onClose={onClose}>
      <div className="stack ask-access">
        <p>{requests.askLead}</p>
        <TextField
          label={requests.note}
          maxLength={MAX_REQUEST_NOTE}
          value={note}
          hint={requests.noteHint}
          onChange={({ target }) => setNote(target.value)}
        />
        <p className="quiet">{requests.linkHolds}</p>
        <div className="dialog-actions">
          <Button kind="quiet" onClick={onClose}>
            {ui.close}
          </Button>
          {"share" in navigator && (
            <Button icon="external" onClick={send}>
              {requests.send}
            </Button>
          )}
          <CopyButton text={url} what={requests.link} label={requests.copyLink} />
        </div>
      </div>
    </Dialog>
  );
}
