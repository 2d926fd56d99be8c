import { formatTime, shorten } from "../messages/format.ts";
import { AddressBadge } from "../shell/address-badge.tsx";
import { Icon } from "../ui/icon.tsx";
import { type FileFacts, formatSize } from "./file-facts.ts";
import { KeyFact } from "./key-fact.tsx";
import { describeViewer } from "./viewer.ts";

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
  return (
    <dl className="file-facts">
      <div>
        <dt>Kind</dt>
        <dd>{describeViewer(info.viewer)}</dd>
      </div>
      <div>
        <dt>Size</dt>
        <dd className="numbers">{formatSize(info)}</dd>
      </div>
      <div>
        <dt>Access</dt>
        <dd>
          <span className={info.encryption ? "badge badge-private" : "badge"}>
            <Icon name={info.encryption ? "lock" : "globe"} size={14} />
            {info.encryption ? "Encrypted" : "Public"}
          </span>
        </dd>
      </div>
      <div>
        <dt>Added</dt>
        <dd>{addedAt === undefined ? "Unknown" : formatTime(addedAt)}</dd>
      </div>
      <div>
        <dt>Owner</dt>
        <dd>
          <Owner owner={owner} isOwner={isOwner} />
        </dd>
      </div>
      {info.encryption && (
        <div>
          <dt>Key</dt>
          <dd>
            <KeyFact cid={cid} isOwner={isOwner} isOpened={isOpened} />
          </dd>
        </div>
      )}
    </dl>
  );
}

function Owner({ owner, isOwner }: { owner: string | undefined | null; isOwner: boolean }) {
  if (isOwner) return "You";
  if (owner === undefined) return <span className="quiet">…</span>;
  if (owner === null) return "Unknown";
  return (
    <span className="file-owner" title={owner}>
      <AddressBadge address={owner} size={18} />
      <span className="mono">{shorten(owner, 6, 4)}</span>
    </span>
  );
}
