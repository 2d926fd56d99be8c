import type { ListedFile } from "keeplight";
import { useMessages } from "../messages/language.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";

/** What can be done with the selected files. */
export function SelectionBar({
  files,
  onDelete,
  onClear,
}: {
  files: readonly ListedFile[];
  onDelete: () => void;
  onClear: () => void;
}) {
  const { files: texts } = useMessages();
  return (
    <section className="selection-bar" aria-label={texts.selection}>
      <strong role="status">{texts.selected(files.length)}</strong>
      <CopyButton text={files.map(({ cid }) => cid).join("\n")} what={texts.cids} label={texts.copyCids} />
      <Button icon="trash" onClick={onDelete}>
        {texts.deleteSelected}
      </Button>
      <Button kind="quiet" onClick={onClear}>
        {texts.clearSelection}
      </Button>
    </section>
  );
}
