import type { ListedFile } from "keeplight";
import { plural } from "../messages/format.ts";
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
  return (
    <section className="selection-bar" aria-label="Selected files">
      <strong role="status">{plural(files.length, "file")} selected</strong>
      <CopyButton text={files.map(({ cid }) => cid).join("\n")} what="CIDs" label="Copy CIDs" />
      <Button icon="trash" onClick={onDelete}>
        Delete…
      </Button>
      <Button kind="quiet" onClick={onClear}>
        Clear selection
      </Button>
    </section>
  );
}
