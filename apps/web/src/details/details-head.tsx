import type { Row } from "../drive/rows.ts";
import { FileNote } from "../files/file-note.tsx";
import type { RowFolder } from "../files/row-route.ts";
import { shorten } from "../messages/format.ts";
import { FileIcon } from "../thumbnails/file-icon.tsx";
import { FileName, toSafeName } from "../ui/file-name.tsx";

/** Name of a row, and what distinguishes it. It takes the same space for each. */
export function DetailsHead({
  row: { cid, fileName, mimeType, status, entry },
  folder,
  isUnfinished,
  sharedTo,
}: {
  row: Row;
  folder: RowFolder;
  isUnfinished: boolean;
  sharedTo: readonly string[] | undefined;
}) {
  const name = fileName ?? shorten(cid);
  const isFolder = folder !== false || entry?.type === "folder";
  return (
    <div className="details-head">
      <FileIcon cid={cid} name={name} mimeType={mimeType} isFolder={isFolder} size={28} />
      <h3 title={toSafeName(name)}>
        <FileName>{name}</FileName>
      </h3>
      <p>
        <FileNote status={status} isUnfinished={isUnfinished} sharedTo={sharedTo} />
      </p>
    </div>
  );
}
