import { useKit } from "keeplight/react";
import { useState } from "react";
import { shorten } from "../messages/format.ts";
import { useMessages } from "../messages/language.ts";
import { useSession } from "../session/session.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { useToast } from "../ui/toasts.tsx";
import { useAction } from "../ui/use-action.ts";
import { AccessPending, type AccessQuery } from "./access-pending.tsx";
import { createFileLink } from "./file-link.ts";
import { KeyLink } from "./key-link.tsx";
import { PeopleList } from "./people-list.tsx";
import { ShareForm } from "./share-form.tsx";

/** Who can view the file; its owner shares and revokes here. */
export function PeoplePanel({ cid, name, access }: { cid: string; name: string | undefined; access: AccessQuery }) {
  const { people, file } = useMessages();
  const kit = useKit();
  const toast = useToast();
  const { address: me } = useSession();
  const [removing, setRemoving] = useState<string>();
  const [shared, setShared] = useState(0);
  const changing = useAction();
  const { owner, sharedTo = [] } = access.value ?? {};

  const share = async (shareTo: string) => {
    const isDone = await changing.run(() => kit.kavachShare(cid, { shareTo }));
    if (isDone) toast(people.shared(shorten(shareTo, 6, 4)));
    access.reload();
    return isDone;
  };
  const revoke = async (revokeTo: string) => {
    setRemoving(revokeTo);
    if (await changing.run(() => kit.kavachRevoke(cid, { revokeTo }))) {
      toast(people.revoked(shorten(revokeTo, 6, 4)));
    }
    setRemoving(undefined);
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
      </section>
    );
  }
  const isBusy = changing.status === "busy";
  return (
    <div className="columns">
      <section className="card" aria-labelledby="share-title">
        <h2 id="share-title">{people.title}</h2>
        <ShareForm
          // Emptied once an address is shared with by a retry.
          key={shared}
          owner={owner}
          sharedTo={sharedTo}
          busy={isBusy && removing === undefined}
          onShare={share}
        />
        <div className="share-link">
          <p className="quiet">{people.thenSend}</p>
          <CopyButton text={createFileLink(cid)} what={file.link} label={file.copyLink} />
        </div>
        <KeyLink cid={cid} name={name} />
        {changing.status === "failed" && (
          <ErrorNote error={changing.error}>
            {changing.resume && (
              <Button icon="retry" onClick={resume}>
                {people.retryNodes}
              </Button>
            )}
          </ErrorNote>
        )}
      </section>
      <section className="card" aria-labelledby="people-title">
        <h2 id="people-title">{people.list}</h2>
        <PeopleList owner={owner} me={me} sharedTo={sharedTo}>
          {(address) => (
            <Button
              kind="quiet"
              busy={isBusy && removing === address}
              disabled={isBusy}
              aria-label={people.revokeOf(address)}
              onClick={() => revoke(address)}
            >
              {people.revoke}
            </Button>
          )}
        </PeopleList>
        {sharedTo.length === 0 && <p className="quiet">{people.notShared}</p>}
      </section>
    </div>
  );
}
