import type { DriveLink } from "@keeplight/drive";
import { useKit } from "@keeplight/react";
import { useState } from "react";
import { useContactBook } from "../contacts/contact-book.tsx";
import { EndLink } from "../links/end-link.tsx";
import { LinkPanel } from "../links/link-panel.tsx";
import type { LinkTarget } from "../links/use-create-link.ts";
import type { FileLinks } from "../links/use-file-links.ts";
import { useMessages } from "../messages/language.ts";
import { AskAccess } from "../requests/ask-access.tsx";
import { useAccountData } from "../session/account-data.tsx";
import { useOfferChanges } from "../session/offered-changes.ts";
import { useSession } from "../session/session.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { useToast } from "../ui/toasts.tsx";
import { useAction } from "../ui/use-action.ts";
import { AccessPending, type AccessQuery } from "./access-pending.tsx";
import { createFileLink } from "./file-link.ts";
import { KeyLink } from "./key-link.tsx";
import { type HalfDone, PeopleList } from "./people-list.tsx";
import { ShareForm } from "./share-form.tsx";
import { TransferDialog } from "./transfer-dialog.tsx";

/** Who can view the file; its owner shares and revokes here, and makes links. */
export function PeoplePanel({
  target,
  access,
  fileLinks,
}: {
  target: LinkTarget;
  access: AccessQuery;
  fileLinks: FileLinks;
}) {
  const { cid, info } = target;
  const { people, file } = useMessages();
  const kit = useKit();
  const toast = useToast();
  const { describe } = useContactBook();
  const { address: me } = useSession();
  const hiddenName = useAccountData().drive.files.get(cid)?.name;
  /** The latest change, which may be half done. */
  const [latest, setLatest] = useState<HalfDone>();
  const [shared, setShared] = useState(0);
  const changing = useAction();
  const { owner, sharedTo = [] } = access.value ?? {};
  const { links, isLink } = fileLinks;
  const [isGiving, setIsGiving] = useState(false);
  const [askedLink, setAskedLink] = useState<DriveLink>();
  const halfDone = changing.resume && latest;
  useOfferChanges(halfDone ? [cid] : []);

  const share = async (shareTo: string) => {
    setLatest({ kind: "share", address: shareTo });
    const isDone = await changing.run(() => kit.kavachShare(cid, { shareTo }));
    if (isDone) toast(people.shared(describe(shareTo)));
    access.reload();
    return isDone;
  };
  const revoke = async (revokeTo: string) => {
    setLatest({ kind: "revoke", address: revokeTo });
    if (await changing.run(() => kit.kavachRevoke(cid, { revokeTo }))) {
      toast(people.revoked(describe(revokeTo)));
    }
    access.reload();
  };
  const transfer = async (newOwner: string) => {
    setLatest(undefined);
    const isDone = await changing.run(() => kit.kavachTransferOwnership(cid, { newOwner }));
    setIsGiving(false);
    // What some nodes have yet to do is finished here, though the others have another owner by now.
    if (!isDone) return;
    toast(people.transferred(describe(newOwner)));
    access.reload();
  };
  const resume = async () => {
    if (await changing.resume?.()) {
      setShared((count) => count + 1);
      toast(people.savedOnAll);
    }
    access.reload();
  };

  if (owner === undefined) return <AccessPending access={access} />;
  if (owner.toLowerCase() !== me) {
    const isShared = sharedTo.some((address) => address.toLowerCase() === me);
    return (
      <section className="card stack" aria-labelledby="people-title">
        <h2 id="people-title">{isShared ? people.sharedWithYou : people.notSharedWithYou}</h2>
        <p className="quiet">{people.othersHint}</p>
        <PeopleList owner={owner} me={me} sharedTo={isShared ? [me] : []} />
        {!isShared && (
          <div>
            <AskAccess cid={cid} />
          </div>
        )}
      </section>
    );
  }
  const isBusy = changing.status === "busy";
  const removing = isBusy && latest?.kind === "revoke" ? latest.address : undefined;
  return (
    <div className="columns">
      <div className="stack">
        <section className="card" aria-labelledby="share-title">
          <h2 id="share-title">{people.title}</h2>
          <ShareForm
            // Emptied once an address is shared with by a retry.
            key={shared}
            owner={owner}
            // An address that only some nodes have is no mistake.
            sharedTo={sharedTo.filter((address) => address.toLowerCase() !== halfDone?.address.toLowerCase())}
            hint={people.addressHint}
            busy={isBusy && removing === undefined}
            onShare={share}
          />
          <div className="share-link">
            <p className="quiet">{people.thenSend}</p>
            <CopyButton text={createFileLink(cid, undefined, hiddenName)} what={file.link} label={file.copyLink} />
          </div>
        </section>
        <LinkPanel target={target} onCreate={access.reload}>
          <KeyLink cid={cid} name={info?.fileName} />
        </LinkPanel>
      </div>
      <section className="card" aria-labelledby="people-title">
        <div className="people-head">
          <h2 id="people-title">{people.list}</h2>
          <Button kind="quiet" disabled={isBusy || !fileLinks.isKnown} onClick={() => setIsGiving(true)}>
            {people.transferOpen}
          </Button>
        </div>
        <PeopleList
          owner={owner}
          me={me}
          sharedTo={sharedTo}
          halfDone={halfDone}
          fileLinks={fileLinks}
          onEndLink={setAskedLink}
        >
          {(address) => (
            <Button
              kind="quiet"
              busy={removing === address}
              disabled={isBusy}
              aria-label={people.revokeOf(describe(address, address))}
              onClick={() => revoke(address)}
            >
              {people.revoke}
            </Button>
          )}
        </PeopleList>
        {sharedTo.every(isLink) && links.length === 0 && !halfDone && <p className="quiet">{people.notShared}</p>}
        {/* At the end of the column, where they move nothing. */}
        <EndLink link={askedLink} onEnd={access.reload} onClose={() => setAskedLink(undefined)} />
        {changing.status === "failed" && (
          <ErrorNote error={changing.error} isResult>
            {changing.resume && (
              <Button icon="retry" onClick={resume}>
                {people.retryNodes}
              </Button>
            )}
          </ErrorNote>
        )}
        {isGiving && (
          <TransferDialog
            owner={owner}
            hasLinks={links.length > 0}
            busy={isBusy}
            onTransfer={transfer}
            onClose={() => setIsGiving(false)}
          />
        )}
      </section>
    </div>
  );
}
