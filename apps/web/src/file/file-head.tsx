import { AddressName } from "../contacts/address-name.tsx";
import { formatTime } from "../messages/format.ts";
import { useMessages } from "../messages/language.ts";
import { AddressBadge } from "../shell/address-badge.tsx";
import { Icon } from "../ui/icon.tsx";
import { Fact } from "./fact.tsx";
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
      <Fact name={file.kind}>{file.kinds[info.viewer]}</Fact>
      <Fact name={file.size}>
        <span className="numbers">{formatSize(info)}</span>
      </Fact>
      <Fact name={file.access}>
        <span className={info.encryption ? "badge badge-private" : "badge"}>
          <Icon name={info.encryption ? "lock" : "globe"} size={14} />
          {info.encryption ? file.encrypted : file.isPublic}
        </span>
      </Fact>
      <Fact name={file.added}>{addedAt === undefined ? file.unknown : formatTime(addedAt)}</Fact>
      <Fact name={file.owner}>
        <Owner owner={owner} isOwner={isOwner} />
      </Fact>
      {info.encryption && (
        <Fact name={file.key}>
          <KeyFact cid={cid} isOwner={isOwner} isOpened={isOpened} />
        </Fact>
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
      <AddressName address={owner} />
    </span>
  );
}
