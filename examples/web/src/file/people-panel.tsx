import { useKit } from "keeplight/react";
import { type FormEvent, useCallback, useState } from "react";
import { shorten } from "../messages/format.ts";
import { useSession } from "../session/session.ts";
import { AddressBadge } from "../shell/address-badge.tsx";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { TextField } from "../ui/field.tsx";
import { useToast } from "../ui/toasts.tsx";
import { useAction } from "../ui/use-action.ts";
import { useQuery } from "../ui/use-query.ts";

/** Who can view the file; its owner shares and revokes here. */
export function PeoplePanel({ cid }: { cid: string }) {
  const kit = useKit();
  const toast = useToast();
  const { address: me } = useSession();
  const load = useCallback((signal: AbortSignal) => kit.kavachGetAccessConditions(cid, { signal }), [kit, cid]);
  const access = useQuery(load);
  const [recipient, setRecipient] = useState("");
  const [removing, setRemoving] = useState<string>();
  const sharing = useAction();
  const owner = access.value?.owner;
  const sharedTo = access.value?.sharedTo ?? [];
  const isOwner = owner?.toLowerCase() === me;

  const share = async (event: FormEvent) => {
    event.preventDefault();
    const shareTo = recipient.trim();
    if (await sharing.run((signal) => kit.kavachShare(cid, { shareTo, signal }))) {
      setRecipient("");
      toast(`Shared with ${shorten(shareTo, 6, 4)}`);
    }
    access.reload();
  };
  const revoke = async (revokeTo: string) => {
    setRemoving(revokeTo);
    if (await sharing.run((signal) => kit.kavachRevoke(cid, { revokeTo, signal }))) {
      toast(`Access revoked for ${shorten(revokeTo, 6, 4)}`);
    }
    setRemoving(undefined);
    access.reload();
  };
  if (access.status === "loading") return <section className="card preview preview-closed" aria-busy="true" />;
  const link = `${location.origin}${location.pathname}#/file/${cid}/preview`;

  return (
    <div className="columns">
      <section className="card" aria-labelledby="share-title">
        <h2 id="share-title">Share with someone</h2>
        {owner && !isOwner ? (
          <p className="quiet">Only the owner can share this file.</p>
        ) : (
          <form onSubmit={share} className="stack">
            <TextField
              label="Wallet address"
              placeholder="0x…"
              required
              value={recipient}
              onChange={({ target }) => setRecipient(target.value)}
              hint="This address will be able to open the file."
            />
            <Button
              kind="primary"
              type="submit"
              busy={sharing.status === "busy" && removing === undefined}
              disabled={recipient.trim() === ""}
            >
              Share
            </Button>
          </form>
        )}
        <div className="share-link">
          <p className="quiet">Then send them this link. It works only for people you’ve shared with.</p>
          <CopyButton text={link} what="link" label="Copy link" />
        </div>
        {sharing.status === "failed" && (
          <ErrorNote error={sharing.error}>
            {sharing.resume && (
              <Button icon="retry" onClick={() => sharing.resume?.().then(access.reload)}>
                Retry remaining nodes
              </Button>
            )}
          </ErrorNote>
        )}
      </section>
      <section className="card" aria-labelledby="people-title">
        <h2 id="people-title">People with access</h2>
        <ul className="people">
          {owner && <Person address={owner} role={isOwner ? "Owner (you)" : "Owner"} />}
          {sharedTo.map((address) => (
            <Person key={address} address={address} role={address.toLowerCase() === me ? "Can view (you)" : "Can view"}>
              {isOwner && (
                <Button
                  kind="quiet"
                  busy={sharing.status === "busy" && removing === address}
                  disabled={sharing.status === "busy"}
                  aria-label={`Revoke access of ${address}`}
                  onClick={() => revoke(address)}
                >
                  Revoke
                </Button>
              )}
            </Person>
          ))}
        </ul>
        {owner && sharedTo.length === 0 && <p className="quiet">Not shared yet</p>}
        {access.status === "failed" && (
          <ErrorNote error={access.error}>
            <Button icon="retry" onClick={access.reload}>
              Try again
            </Button>
          </ErrorNote>
        )}
      </section>
    </div>
  );
}

function Person({ address, role, children }: { address: string; role: string; children?: React.ReactNode }) {
  return (
    <li className="person">
      <AddressBadge address={address} />
      <p>
        <strong>{role}</strong>
        <span className="mono quiet" title={address}>
          {shorten(address, 10, 8)}
        </span>
      </p>
      {children}
    </li>
  );
}
