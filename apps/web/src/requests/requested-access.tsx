import { useKit } from "@keeplight/react";
import { useCallback } from "react";
import { normalizeAddress, useContactBook } from "../contacts/contact-book.tsx";
import { useMessages } from "../messages/language.ts";
import { toHref } from "../routes.ts";
import { useSession } from "../session/session.ts";
import { ErrorNote } from "../ui/error-note.tsx";
import { FileName } from "../ui/file-name.tsx";
import { Icon } from "../ui/icon.tsx";
import { useQuery } from "../ui/use-query.ts";
import type { AccessRequest } from "./access-request.ts";
import { Requester } from "./requester.tsx";
import { type Shareable, ShareRequested } from "./share-requested.tsx";
import { useRequested } from "./use-requested.ts";

/** What is asked for, and what the account can do about it: nothing for what is not its own. */
export function RequestedAccess({ request }: { request: AccessRequest }) {
  const { requests } = useMessages();
  const requested = useRequested(request.cid);
  switch (requested.kind) {
    case "loading":
      return <section className="card preview-closed" aria-busy="true" />;
    case "failed":
      return <ErrorNote error={requested.error} retry={requested.retry} />;
    case "unknown":
      return <NotOwn cid={request.cid} />;
    case "trashed":
      return (
        <section className="card stack">
          <RequestedName name={requested.name} isFolder={false} />
          <p>
            {requests.trashed} <a href={toHref({ screen: "trash" })}>{requests.openTrash}</a>
          </p>
        </section>
      );
    case "public":
      return (
        <section className="card stack">
          <RequestedName name={requested.name} isFolder={false} />
          <p>{requests.isPublic}</p>
        </section>
      );
    default:
      return <OwnFile request={request} requested={requested} />;
  }
}

/** A file or folder that the account has. Whether it owns it, and whom it is shared with, a key node says. */
function OwnFile({ request, requested }: { request: AccessRequest; requested: Shareable }) {
  const { requests } = useMessages();
  const kit = useKit();
  const { address: me } = useSession();
  const { describe } = useContactBook();
  const { cid, from } = request;
  const load = useCallback((signal: AbortSignal) => kit.kavachGetAccessConditions(cid, { signal }), [kit, cid]);
  const access = useQuery(load);
  if (access.status === "failed") return <ErrorNote error={access.error} retry={access.reload} />;
  if (!access.value) return <section className="card preview-closed" aria-busy="true" />;
  const { owner, sharedTo } = access.value;
  if (normalizeAddress(owner) !== me) return <NotOwn cid={cid} />;
  const hasAccess = sharedTo.some((address) => normalizeAddress(address) === from);
  const isFolder = requested.kind !== "file";
  const isNetworkName = requested.kind === "stored-folder" || (requested.kind === "file" && !requested.entry);
  const open = toHref(isFolder ? { screen: "folder", cid, path: "" } : { screen: "file", cid, tab: "preview" });
  return (
    <>
      <Requester request={request} />
      <section className="card stack" aria-labelledby="requested-title">
        <h2 id="requested-title">{requests.what}</h2>
        <RequestedName name={requested.name} isFolder={isFolder} />
        {requested.kind === "file" && requested.isOlder && <p>{requests.isOlder}</p>}
        {requested.kind === "folder" && <p>{requests.folderNow}</p>}
        {isNetworkName && (
          <p>
            {requests.networkName} <a href={open}>{requests.openFirst}</a>
          </p>
        )}
        {hasAccess && (
          <p role="status">
            {requests.hasAccess(describe(from))}{" "}
            {!isFolder && <a href={toHref({ screen: "file", cid, tab: "people" })}>{requests.openPeople}</a>}
          </p>
        )}
        <div>
          <ShareRequested requested={requested} recipient={from} onClose={access.reload} />
        </div>
      </section>
    </>
  );
}

/** Nothing is offered, and nothing of the link is shown but the content id. */
function NotOwn({ cid }: { cid: string }) {
  const { requests } = useMessages();
  return (
    <section className="card stack">
      <h2>{requests.notOwnTitle}</h2>
      <p>{requests.notOwnHint}</p>
      <p className="mono quiet contact-address">{cid}</p>
    </section>
  );
}

function RequestedName({ name, isFolder }: { name: string; isFolder: boolean }) {
  return (
    <p className="requested-name">
      <Icon name={isFolder ? "folder" : "file"} />
      <strong>
        <FileName>{name}</FileName>
      </strong>
    </p>
  );
}
