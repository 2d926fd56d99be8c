import { useKit } from "@keeplight/react";
import { isUnfinished } from "keeplight";
import { useState } from "react";
import { useContactBook } from "../contacts/contact-book.tsx";
import type { Row } from "../drive/rows.ts";
import { createFileLink } from "../file/file-link.ts";
import { ShareForm } from "../file/share-form.tsx";
import { useMessages } from "../messages/language.ts";
import { useOfferChanges } from "../session/offered-changes.ts";
import { useSession } from "../session/session.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { useToast } from "../ui/toasts.tsx";
import { useAction } from "../ui/use-action.ts";
import { openSharingRecord } from "./sharing-record.ts";

/** Shares several files with one address, one after another: what fails half way is continued, the rest follows. */
export function ShareFilesDialog({
  files: chosen,
  recipient,
  onClose,
}: {
  files: readonly Pick<Row, "cid" | "entry" | "fileName">[];
  /** Address that the dialog starts with. */
  recipient?: string;
  onClose: () => void;
}) {
  const { files: texts, folder, ui } = useMessages();
  const kit = useKit();
  const toast = useToast();
  const { describe } = useContactBook();
  const { address: me, journal } = useSession();
  const sharing = useAction();
  // Those on mount.
  const [files] = useState(chosen);
  /** With whom the files are being shared, and how many of them are. */
  const [current, setCurrent] = useState({ address: "", done: 0 });
  const links = files.map(({ cid, entry, fileName }) =>
    createFileLink(cid, undefined, entry ? (fileName ?? undefined) : undefined),
  );
  const isBusy = sharing.status === "busy";
  const failed = sharing.status === "failed" ? files[current.done] : undefined;
  useOfferChanges(failed ? [failed.cid] : []);

  const share = async (address: string, from = 0) => {
    const unfinished = from > 0 || failed ? sharing.error : undefined;
    const isDone = await sharing.run(async (signal) => {
      for (const [at, { cid }] of files.entries()) {
        if (at < from) continue;
        if (signal.aborted) return;
        setCurrent({ address, done: at });
        const resumed = at === from && isUnfinished(unfinished) ? unfinished.resume({}) : undefined;
        await (resumed ?? kit.kavachShare(cid, { shareTo: address }));
        await openSharingRecord(journal)
          .add(cid, address)
          .catch(() => undefined);
      }
    });
    if (!isDone) return false;
    toast(texts.sharedFiles(files.length, describe(address)));
    onClose();
    return true;
  };
  return (
    <Dialog title={texts.shareTitle(files.length)} onClose={() => isBusy || onClose()}>
      <div className="share-files">
        {failed ? (
          <ErrorNote error={sharing.error}>
            <p>{texts.sharedPart(current.done, files.length)}</p>
            <Button icon="retry" onClick={() => void share(current.address, current.done)}>
              {folder.retryRemaining}
            </Button>
          </ErrorNote>
        ) : (
          <ShareForm
            owner={me}
            sharedTo={[]}
            initial={recipient}
            hint={texts.shareHint}
            busy={isBusy}
            onShare={(address) => share(address)}
          />
        )}
        <div className="share-link">
          <p className="quiet">{texts.shareThen}</p>
          <CopyButton text={links.join("\n")} what={texts.links} label={texts.copyLinks} />
        </div>
        <p className="quiet" role="status">
          {isBusy ? texts.sharingFile(current.done + 1, files.length) : "\u00a0"}
        </p>
      </div>
      <div className="dialog-actions">
        <Button kind="quiet" onClick={onClose}>
          {ui.close}
        </Button>
      </div>
    </Dialog>
  );
}
