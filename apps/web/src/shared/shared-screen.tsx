import { AddressName } from "../contacts/address-name.tsx";
import { formatSize } from "../file/file-facts.ts";
import { getIconName } from "../files/file-kind.ts";
import { OwnLinks } from "../links/own-links.tsx";
import { shorten } from "../messages/format.ts";
import { useMessages } from "../messages/language.ts";
import { toHref } from "../routes.ts";
import { AddressBadge } from "../shell/address-badge.tsx";
import { Age } from "../ui/age.tsx";
import { IconButton } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { FileName, toSafeName } from "../ui/file-name.tsx";
import { Icon } from "../ui/icon.tsx";
import { Screen } from "../ui/screen.tsx";
import { useToast } from "../ui/toasts.tsx";
import { KeptFiles } from "./kept-files.tsx";
import { OpenForm } from "./open-form.tsx";
import type { SharedItem } from "./shared-item.ts";
import { useSharedList } from "./use-shared-list.ts";

/** Files of others: those that the account has opened or received, and a form to open another one. */
export function SharedScreen() {
  const { shared, contacts } = useMessages();
  const { query, list } = useSharedList();
  const toast = useToast();
  const items = query.value ?? [];
  const remove = async ({ cid, name }: SharedItem) => {
    await list.remove(cid);
    query.reload();
    toast(shared.removed(toSafeName(name)));
  };
  return (
    <Screen
      title={shared.title}
      lead={<p>{shared.lead}</p>}
      actions={
        <a className="button button-quiet" href={toHref({ screen: "contacts" })}>
          {contacts.title}
        </a>
      }
      keepsScroll
    >
      <OpenForm />
      <section className="card shared-list" aria-labelledby="shared-title" aria-busy={query.status === "loading"}>
        <h2 id="shared-title">{shared.listed}</h2>
        {query.status === "failed" && <ErrorNote error={query.error} retry={query.reload} />}
        {query.status === "ready" && items.length === 0 && (
          <Empty icon="people" title={shared.emptyTitle}>
            {shared.emptyHint}
          </Empty>
        )}
        {items.length > 0 && (
          <>
            <ul>
              {items.map((item) => (
                <SharedRow key={item.cid} item={item} remove={() => remove(item)} />
              ))}
            </ul>
            <p className="quiet shared-note">{shared.note}</p>
          </>
        )}
      </section>
      {/* After what is above them, which would move them. */}
      {query.status !== "loading" && (
        <>
          <KeptFiles />
          <OwnLinks />
        </>
      )}
    </Screen>
  );
}

function SharedRow({ item, remove }: { item: SharedItem; remove: () => void }) {
  const { shared } = useMessages();
  const { cid, name, encryption, isFolder, from, receivedAt } = item;
  return (
    <li className="shared-row">
      <span className="file-icon">
        <Icon name={isFolder ? "folder" : getIconName(name, undefined)} />
      </span>
      <div className="shared-text">
        <a
          href={toHref(
            isFolder
              ? { screen: "folder", cid, path: "" }
              : { screen: "file", cid, tab: "preview", name: encryption && name !== cid ? name : undefined },
          )}
          title={toSafeName(name)}
        >
          <FileName>{name === cid ? shorten(cid) : name}</FileName>
        </a>
        <p className="quiet">
          {from === undefined ? (
            shared.isPublic
          ) : (
            <span className="file-owner" title={from}>
              <AddressBadge address={from} size={16} />
              <span>
                {shared.from} <AddressName address={from} />
              </span>
            </span>
          )}
          <span className="numbers">{formatSize(item)}</span>
          <Age ms={receivedAt} />
        </p>
      </div>
      <Icon name={encryption ? "lock" : "globe"} size={16} />
      <IconButton icon="close" label={shared.remove(toSafeName(name))} onClick={remove} />
    </li>
  );
}
