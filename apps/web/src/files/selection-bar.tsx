import type { Row } from "../drive/rows.ts";
import { useMessages } from "../messages/language.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";

/** What can be done with the selected files. */
export function SelectionBar({
  files,
  onShare,
  onRename,
  onMove,
  onDelete,
  onClear,
}: {
  files: readonly Row[];
  /** Missing if they cannot be. */
  onShare: (() => void) | undefined;
  onRename: (() => void) | undefined;
  onMove: (() => void) | undefined;
  onDelete: () => void;
  onClear: () => void;
}) {
  const { files: texts, drive } = useMessages();
  const cids = files.map(({ cid }) => cid).filter((cid) => cid !== "");
  const isTrash = files.every(({ entry }) => entry);
  return (
    <section className="selection-bar" aria-label={texts.selection}>
      <strong role="status">{texts.selected(files.length)}</strong>
      {cids.length > 0 && <CopyButton text={cids.join("\n")} what={texts.cids} label={texts.copyCids} />}
      {onShare && (
        <Button icon="people" onClick={onShare}>
          {texts.share}
        </Button>
      )}
      {onRename && (
        <Button icon="edit" onClick={onRename}>
          {drive.rename}
        </Button>
      )}
      {onMove && (
        <Button icon="move" onClick={onMove}>
          {drive.move}
        </Button>
      )}
      <Button icon="trash" onClick={onDelete}>
        {isTrash ? drive.moveToTrash : texts.deleteSelected}
      </Button>
      <Button kind="quiet" onClick={onClear}>
        {texts.clearSelection}
      </Button>
    </section>
  );
}
