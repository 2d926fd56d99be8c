import type { Row } from "../drive/rows.ts";
import { Fact } from "../file/fact.tsx";
import { getListedSize } from "../file/file-facts.ts";
import type { GroupedFiles } from "../files/group-folders.ts";
import { getRowFolder, isShareable } from "../files/row-route.ts";
import { formatBytes, formatNumber } from "../messages/format.ts";
import { useMessages } from "../messages/language.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import type { RowActions } from "./row-actions.ts";

/** Number and size of several rows, and what can be done with all of them. */
export function SelectionDetails({
  rows,
  groups,
  actions,
}: {
  rows: readonly Row[];
  groups: GroupedFiles;
  actions: RowActions;
}) {
  const { details: texts, drive, files } = useMessages();
  const isFolder = (row: Row) => row.entry?.type === "folder" || getRowFolder(row, groups) !== false;
  const folders = rows.filter(isFolder).length;
  const size = rows.reduce((sum, row) => sum + (getListedSize(row, isFolder(row)) || 0), 0);
  const cids = rows.map(({ cid }) => cid).filter((cid) => cid !== "");
  return (
    <>
      <dl className="details-facts">
        <Fact name={texts.fileCount}>{formatNumber(rows.length - folders)}</Fact>
        <Fact name={texts.folderCount}>{formatNumber(folders)}</Fact>
        <Fact name={texts.totalSize}>
          <span className="numbers">{formatBytes(size)}</span>
        </Fact>
      </dl>
      <div className="details-actions">
        {cids.length > 0 && <CopyButton text={cids.join("\n")} what={files.cids} label={files.copyCids} />}
        <Button
          icon="people"
          disabled={!rows.every((row) => isShareable(row, groups))}
          onClick={() => actions.share(rows)}
        >
          {files.share}
        </Button>
        <Button icon="move" disabled={!actions.canMove(rows)} onClick={() => actions.move(rows)}>
          {drive.move}
        </Button>
        <Button icon="trash" onClick={() => actions.remove(rows)}>
          {rows.every(({ entry }) => entry) ? drive.moveToTrash : files.deleteSelected}
        </Button>
      </div>
    </>
  );
}
