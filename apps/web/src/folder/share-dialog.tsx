import { useKit } from "@keeplight/react";
import type { OpenedFolder } from "keeplight";
import { useCallback } from "react";
import { useContactBook } from "../contacts/contact-book.tsx";
import { type HalfDone, PeopleList } from "../file/people-list.tsx";
import { ShareForm } from "../file/share-form.tsx";
import { useRecordSharing } from "../files/use-sharing.ts";
import { formatPercent } from "../messages/format.ts";
import { useMessages } from "../messages/language.ts";
import { useOfferChanges } from "../session/offered-changes.ts";
import { useSession } from "../session/session.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { ProgressBar } from "../ui/progress-bar.tsx";
import { useToast } from "../ui/toasts.tsx";
import { useQuery } from "../ui/use-query.ts";
import { CopyFolderLink } from "./copy-folder-link.tsx";
import type { FolderChange } from "./use-folder-change.ts";

const nothing: readonly string[] = [];

/** Shares a whole folder, and revokes that: each of its files, and its manifest. */
export function ShareDialog({
  folder,
  older = nothing,
  isOver = false,
  recipient,
  change: { state, unfinished, latest, run, resume, abort },
  onClose,
}: {
  folder: OpenedFolder;
  /** Content ids of manifests of the same folder, as it was before. */
  older?: readonly string[];
  /** Whether it cannot be shared any more as it is, only revoked. */
  isOver?: boolean;
  /** Address that the dialog starts with. */
  recipient?: string;
  /** Outlives the dialog, so that what is half done can be finished. */
  change: FolderChange;
  onClose: () => void;
}) {
  const { folder: texts, people, ui } = useMessages();
  const kit = useKit();
  const toast = useToast();
  const { describe } = useContactBook();
  const { address: me } = useSession();
  const { cid } = folder;
  const load = useCallback(
    async (signal: AbortSignal) => {
      const read = async (each: string) => (await kit.kavachGetAccessConditions(each, { signal })).sharedTo;
      const [sharedTo, ...before] = await Promise.all([read(cid), ...older.map(read)]);
      const known = new Set(sharedTo.map((address) => address.toLowerCase()));
      return { sharedTo, outdated: [...new Set(before.flat())].filter((each) => !known.has(each.toLowerCase())) };
    },
    [kit, cid, older],
  );
  const access = useQuery(load);
  const { sharedTo = [], outdated = [] } = access.value ?? {};
  // Who may open the folder only as it was before can still do so.
  useRecordSharing(cid, access.value && [...sharedTo, ...outdated]);
  const halfDone = resume && latest;
  useOfferChanges(unfinished.map((part) => part.cid));
  // The manifest, which has no path, is no file of the folder.
  const remaining = unfinished.filter(({ path }) => path !== "").length;
  const isBusy = state.status === "busy";
  // Another change would discard what remains of this one.
  const isBlocked = isBusy || resume !== undefined;

  const settle = (isDone: boolean, { kind, address }: HalfDone) => {
    const who = describe(address);
    if (isDone) toast(kind === "share" ? people.shared(who) : people.revoked(who));
    access.reload();
    return isDone;
  };
  const share = async (address: string, ...others: string[]) => {
    const change = { kind: "share", address } as const;
    const shareTo = [address, ...others] as const;
    return settle(await run(change, [(options) => kit.shareEncryptedFolder(cid, { ...options, shareTo })]), change);
  };
  const revoke = async (address: string) => {
    const change = { kind: "revoke", address } as const;
    const calls = [cid, ...older].map(
      (each) => (options: object) => kit.revokeEncryptedFolder(each, { ...options, revokeTo: address }),
    );
    settle(await run(change, calls), change);
  };
  const [first, ...others] = outdated;
  return (
    <Dialog title={texts.shareTitle(folder.files.length)} onClose={() => isBusy || onClose()}>
      {isOver ? (
        <p className="quiet">{texts.sharedBefore}</p>
      ) : (
        <>
          {/* Who has access to the manifest may lack some files: to share again completes that. */}
          <ShareForm
            owner={folder.owner}
            sharedTo={[]}
            initial={recipient}
            hint={texts.addressHint}
            busy={isBusy}
            disabled={isBlocked}
            onShare={share}
          />
          <div className="share-link">
            <p className="quiet">{people.thenSend}</p>
            <CopyFolderLink cid={cid} path="" />
          </div>
        </>
      )}
      {isBusy && (
        <div className="folder-change">
          <p className="quiet" role="status">
            {texts.changing(formatPercent(state.fraction))}
          </p>
          <ProgressBar fraction={state.fraction} label={texts.changingLabel} />
        </div>
      )}
      {state.status === "failed" && (
        <ErrorNote error={state.error} isResult>
          {remaining > 0 && <p>{texts.remaining(remaining)}</p>}
        </ErrorNote>
      )}
      {access.status === "failed" && <ErrorNote error={access.error} retry={access.reload} />}
      <h3>{people.list}</h3>
      {first !== undefined && !isOver && (
        <div className="note" role="status">
          <div>
            <p>{texts.outdated(outdated.length)}</p>
            <Button icon="retry" disabled={isBlocked} onClick={() => void share(first, ...others)}>
              {texts.shareChanges}
            </Button>
          </div>
        </div>
      )}
      <PeopleList owner={folder.owner} me={me} sharedTo={[...sharedTo, ...outdated]} halfDone={halfDone}>
        {(address) =>
          resume && latest && address.toLowerCase() === latest.address.toLowerCase() ? (
            <Button icon="retry" onClick={async () => settle(await resume(), latest)}>
              {texts.retryRemaining}
            </Button>
          ) : (
            <Button
              kind="quiet"
              disabled={isBlocked}
              aria-label={people.revokeOf(describe(address, address))}
              onClick={() => revoke(address)}
            >
              {people.revoke}
            </Button>
          )
        }
      </PeopleList>
      {access.status === "ready" && sharedTo.length + outdated.length === 0 && !halfDone && (
        <p className="quiet">{texts.notShared}</p>
      )}
      <div className="dialog-actions">
        <Button kind="quiet" onClick={isBusy ? abort : onClose}>
          {isBusy ? ui.cancel : ui.close}
        </Button>
      </div>
    </Dialog>
  );
}
