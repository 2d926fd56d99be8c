import type { ReceivedFile } from "@keeplight/drive";
import { useInbox } from "@keeplight/react/drive";
import { AddressName } from "../contacts/address-name.tsx";
import { explainError } from "../messages/explain-error.ts";
import { formatTime } from "../messages/format.ts";
import { useMessages } from "../messages/language.ts";
import { toHref } from "../routes.ts";
import { AddressBadge } from "../shell/address-badge.tsx";
import { Age } from "../ui/age.tsx";
import { IconButton } from "../ui/button.tsx";
import { FileName, toSafeName } from "../ui/file-name.tsx";
import { Icon } from "../ui/icon.tsx";
import { useToast } from "../ui/toasts.tsx";
import { useNow } from "../ui/use-now.ts";
import { toReceivedLink } from "./link-fragment.ts";
import { openLinkHere } from "./received-link.ts";

/** What others have shared, and the account keeps in its drive; nothing if there is none. */
export function KeptFiles() {
  const { shared } = useMessages();
  const { state, remove } = useInbox();
  const toast = useToast();
  if (state.status !== "ready" || state.value.length === 0) return null;
  const removeFile = async (file: ReceivedFile) => {
    try {
      await remove(file);
      toast(shared.removed(toSafeName(file.name)));
    } catch (error) {
      toast(explainError(error).title);
    }
  };
  return (
    <section className="card shared-list" aria-labelledby="kept-title">
      <h2 id="kept-title">{shared.keptTitle}</h2>
      <ul>
        {state.value.map((file) => (
          <KeptRow key={file.id} file={file} remove={() => removeFile(file)} />
        ))}
      </ul>
      <p className="quiet shared-note">{shared.keptNote}</p>
    </section>
  );
}

function KeptRow({ file, remove }: { file: ReceivedFile; remove: () => void }) {
  const { shared, links } = useMessages();
  const { cid, name, receivedAt, endsAt, from } = file;
  const now = useNow();
  const link = toReceivedLink(file);
  return (
    <li className="shared-row">
      <span className="file-icon">
        <Icon name={link === undefined ? "people" : "link"} />
      </span>
      <div className="shared-text">
        {link === undefined ? (
          <a href={toHref({ screen: "file", cid, tab: "preview" })}>
            <FileName>{name}</FileName>
          </a>
        ) : (
          // No address of a page: that would have the link in it.
          <button type="button" className="link-button" onClick={() => openLinkHere(link)}>
            <FileName>{name}</FileName>
          </button>
        )}
        <p className="quiet">
          {from !== undefined && (
            <span className="file-owner" title={from}>
              <AddressBadge address={from} size={16} />
              <span>
                {shared.from} <AddressName address={from} />
              </span>
            </span>
          )}
          {endsAt !== undefined && <span>{endsAt <= now ? shared.over.title : links.ends(formatTime(endsAt))}</span>}
          <Age ms={receivedAt} />
        </p>
      </div>
      <IconButton icon="close" label={shared.remove(toSafeName(name))} onClick={remove} />
    </li>
  );
}
