import type { Row } from "../drive/rows.ts";
import { Fact } from "../file/fact.tsx";
import { formatSize, toRowFacts } from "../file/file-facts.ts";
import { isCertainlyFile } from "../file/find-facts.ts";
import { KeyFact } from "../file/key-fact.tsx";
import type { RowFolder } from "../files/row-route.ts";
import { formatBytes, formatTime, shorten } from "../messages/format.ts";
import { useMessages } from "../messages/language.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { Icon } from "../ui/icon.tsx";
import { DetailsPeople } from "./details-people.tsx";

/** What is known of one row; those who have access last, as only their number is known later. */
export function DetailsFacts({
  row,
  folder,
  sharedTo,
}: {
  row: Row;
  folder: RowFolder;
  sharedTo: readonly string[] | undefined;
}) {
  const { details: texts, drive, file } = useMessages();
  const { cid, encryption, createdAt, entry } = row;
  const isFolder = folder !== false || entry?.type === "folder";
  const info = toRowFacts(row);
  const size = isFolder ? Number(row.fileSizeInBytes) : info.size;
  const hasCid = cid !== "" && folder !== "partial";
  const kind = isCertainlyFile(row) ? file.kinds[info.viewer] : file.unknown;
  return (
    <dl className="details-facts">
      <Fact name={file.kind}>{isFolder ? drive.folder : kind}</Fact>
      <Fact name={file.size}>
        <span className="numbers">{isFolder && size >= 0 ? formatBytes(size) : formatSize({ size })}</span>
      </Fact>
      <Fact name={file.added}>{createdAt === null ? texts.noFact : formatTime(createdAt)}</Fact>
      <Fact name={file.cid}>
        {hasCid ? (
          <>
            <span className="mono">{shorten(cid)}</span>
            <CopyButton text={cid} what={file.cid} />
          </>
        ) : (
          texts.noFact
        )}
      </Fact>
      <Fact name={file.access}>
        <span className={encryption ? "badge badge-private" : "badge"}>
          <Icon name={encryption ? "lock" : "globe"} size={14} />
          {encryption ? file.encrypted : file.isPublic}
        </span>
      </Fact>
      <Fact name={file.key}>
        {encryption && hasCid ? <KeyFact cid={cid} isOwner isOpened={false} /> : texts.noFact}
      </Fact>
      <Fact name={texts.people}>
        {encryption ? <DetailsPeople cid={hasCid ? cid : ""} sharedTo={sharedTo} /> : texts.anyone}
      </Fact>
    </dl>
  );
}
