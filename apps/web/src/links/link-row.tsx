import type { DriveLink } from "@keeplight/drive";
import { formatTime } from "../messages/format.ts";
import { useMessages } from "../messages/language.ts";
import { toHref } from "../routes.ts";
import { needsPassword } from "../shared/link-fragment.ts";
import { Age } from "../ui/age.tsx";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { FileName, toSafeName } from "../ui/file-name.tsx";
import { Icon } from "../ui/icon.tsx";
import { useNow } from "../ui/use-now.ts";

/** A link that the account has made, which is never shown itself. */
export function LinkRow({
  link,
  hasName = false,
  end,
}: {
  link: DriveLink;
  /** Whether its file is named, where there are links to several. */
  hasName?: boolean;
  end: () => void;
}) {
  const { links, file } = useMessages();
  const { cid, name, createdAt, url } = link;
  const until = useEnd(link);
  return (
    <li className="link-row">
      <Icon name="link" />
      <div className="link-text">
        {hasName ? (
          <a href={toHref({ screen: "file", cid, tab: "people" })} title={toSafeName(name)}>
            <FileName>{name}</FileName>
          </a>
        ) : (
          <strong>{links.link(until)}</strong>
        )}
        <p className="quiet">
          {hasName && <span>{until}</span>}
          {needsPassword(url) && (
            <span className="badge">
              <Icon name="lock" size={14} />
              {links.hasPassword}
            </span>
          )}
          <span>
            {links.made} <Age ms={createdAt} />
          </span>
        </p>
      </div>
      <div className="link-actions">
        <CopyButton text={url} what={hasName ? links.linkTo(toSafeName(name)) : file.link} secret />
        <Button kind="quiet" aria-label={links.endOf(toSafeName(name), until)} onClick={end}>
          {links.end}
        </Button>
      </div>
    </li>
  );
}

/** When a link ends. After that it is listed until the key nodes have revoked it. */
function useEnd({ endsAt }: DriveLink): string {
  const { links } = useMessages();
  const now = useNow();
  if (endsAt === undefined) return links.noEnd;
  return endsAt <= now ? links.over(formatTime(endsAt)) : links.ends(formatTime(endsAt));
}
