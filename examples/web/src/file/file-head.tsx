import { formatTime, shorten } from "../messages/format.ts";
import { useMessages } from "../messages/language.ts";
import { AddressBadge } from "../shell/address-badge.tsx";
import { Icon } from "../ui/icon.tsx";
import { type FileFacts, formatSize } from "./file-facts.ts";
import { KeyFact } from "./key-fact.tsx";

/** What is known of a file. Each fact keeps its place while it is loaded. */
export function FileHead({
  cid,
  info,
  addedAt,
  owner,
  isOwner,
  isOpened,
}: {
  cid: string;
  info: FileFacts;
  /** In milliseconds; undefined for another account's file. */
  addedAt: number | undefined;
  /** An address; `undefined` while it is loaded, `null` if nobody knows. */
  owner: string | undefined | null;
  isOwner: boolean;
  /** Whether the person has signed in to the key nodes for it. */
  isOpened: boolean;
}) {
  const { file } = useMessages();
  return (
    <dl className="file-facts">
      <div>
        <dt>{file.kind}</dt>
        <dd>{file.kinds[info.viewer]}</dd>
      </div>
      <div>
        <dt>{file.size}</dt>
        <dd className="numbers">{formatSize(info)}</dd>
      </div>
      <div>
        <dt>{file.access}</dt>
        <dd>
          <span className={info.encryption ? "badge badge-private" : "badge"}>
            <Icon name={info.encryption ? "lock" : "globe"} size={14} />
            {info.encryption ? file.encrypted : file.isPublic}
          </span>
        </dd>
      </div>
      <div>
        <dt>{file.added}</dt>
        <dd>{addedAt === undefined ? file.unknown : formatTime(addedAt)}</dd>
      </div>
      <div>
        <dt>{file.owner}</dt>
        <dd>
          <Owner owner={owner} isOwner={isOwner} />
        </dd>
      </div>
      {info.encryption && (
        <div>
          <dt>{file.key}</dt>
          <dd>
            <KeyFact cid={cid} isOwner={isOwner} isOpened={isOpened} />
          </dd>
        </div>
      )}
    </dl>
  );
}

function Owner({ owner, isOwner }: { owner: string | undefined | null; isOwner: boolean }) {
  const { file } = useMessages();
  if (isOwner) return file.you;
  if (owner === undefined) return <span className="quiet">…</span>;
  if (owner === null) return file.unknown;
  return (
    <span className="file-owner" title={owner}>
      <AddressBadge address={owner} size={18} />
      <span className="mono">{shorten(owner, 6, 4)}</span>
    </span>
  );
}
