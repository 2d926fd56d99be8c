import type { Row } from "../drive/rows.ts";
import type { GroupedFiles } from "../files/group-folders.ts";
import { getRowKey } from "../files/row-key.ts";
import { getRowFolder } from "../files/row-route.ts";
import { useMessages } from "../messages/language.ts";
import { IconButton } from "../ui/button.tsx";
import { DetailsActions } from "./details-actions.tsx";
import { DetailsFacts } from "./details-facts.tsx";
import { DetailsHead } from "./details-head.tsx";
import type { RowActions } from "./row-actions.ts";
import { SelectionDetails } from "./selection-details.tsx";

/**
 * What is known of the selected rows, or else of the one that has the focus, and what can be done with them. Each fact keeps
 * its place from one row to the next.
 */
export function FileDetails({
  rows,
  selected,
  groups,
  sharing,
  actions,
}: {
  rows: readonly Row[];
  /** How many rows are selected. */
  selected: number;
  groups: GroupedFiles;
  /** The addresses that files are shared with, by content id, as far as this browser knows. */
  sharing: ReadonlyMap<string, readonly string[]>;
  actions: RowActions;
}) {
  const { details: texts, files, keys } = useMessages();
  const [row, other] = rows;
  const folder = row ? getRowFolder(row, groups) : false;
  const sharedTo = row && sharing.get(row.cid || row.id);
  return (
    <section className="card file-details" aria-labelledby="file-details-title">
      <header>
        <h2 id="file-details-title">
          <span role="status">{selected > 0 ? files.selected(selected) : texts.title}</span>
        </h2>
        {selected > 0 && <IconButton icon="close" label={files.clearSelection} onClick={actions.clear} />}
        <button
          type="button"
          className="icon-button"
          aria-label={keys.title}
          title={keys.title}
          onClick={actions.showKeys}
        >
          <kbd>?</kbd>
        </button>
      </header>
      {!row && (
        <div className="details-empty">
          <p>
            <strong>{texts.emptyTitle}</strong>
          </p>
          <p className="quiet">{texts.emptyHint}</p>
        </div>
      )}
      {row && other && <SelectionDetails rows={rows} groups={groups} actions={actions} />}
      {row && !other && (
        <>
          <DetailsHead row={row} folder={folder} isUnfinished={groups.unfinished.has(row.cid)} sharedTo={sharedTo} />
          <DetailsActions row={row} folder={folder} actions={actions} />
          <DetailsFacts key={getRowKey(row)} row={row} folder={folder} sharedTo={sharedTo} />
        </>
      )}
    </section>
  );
}
