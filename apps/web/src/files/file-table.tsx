import { type DragEvent, type ReactNode, useCallback, useMemo, useRef } from "react";
import { startDrag } from "../drive/drag.ts";
import type { Row } from "../drive/rows.ts";
import { useMessages } from "../messages/language.ts";
import { listParts } from "../ui/list-parts.ts";
import { Spacer } from "../ui/spacer.tsx";
import { useMedia } from "../ui/use-media.ts";
import { useVisibleRows } from "../ui/use-visible-rows.ts";
import { FileRow } from "./file-row.tsx";
import type { FilesView, Sorting } from "./files-view.ts";
import type { GroupedFiles } from "./group-folders.ts";
import { getRowKey } from "./row-key.ts";
import { getRowFolder } from "./row-route.ts";
import { useListClicks } from "./use-list-clicks.ts";
import { useListKeys } from "./use-list-keys.ts";
import { useListRange } from "./use-list-range.ts";
import type { RowFocus } from "./use-row-focus.ts";

/** Heights of a row, in `rem`, as the style sheet has them. */
const ROW = 3.75;
const CARD = 7;

interface FileTableProps {
  /** In the order in which they are shown. */
  files: readonly Row[];
  groups: GroupedFiles;
  /** The addresses that files are shared with, by content id. */
  sharing: ReadonlyMap<string, readonly string[]>;
  /** The ids of those that were added while the list was shown. */
  added: ReadonlySet<string>;
  sort: FilesView["sort"];
  selected: ReadonlySet<string>;
  focus: RowFocus;
  /** Whether each row shows the folder that it is in. */
  showsPlace: boolean;
  onSort: (sort: Sorting) => void;
  onSelect: (ids: readonly string[], isSelected: boolean) => void;
  onDelete: (file: Row) => void;
  onOpen: (file: Row) => void;
}

/**
 * The account's files: a grid whose rows receive the focus. Only the rows in and near the window are rendered, and the one
 * that Tab reaches, so that it does not lose the focus. In narrow windows each row is a card.
 */
export function FileTable({
  files,
  groups,
  sharing,
  added,
  sort,
  selected,
  focus,
  showsPlace,
  onSort,
  onSelect,
  onDelete,
  onOpen,
}: FileTableProps) {
  const { files: texts } = useMessages();
  const isNarrow = useMedia("(max-width: 40rem)");
  const visible = useVisibleRows(focus.body, files.length, isNarrow ? CARD : ROW);
  const list = { rows: files, focus, selected, onSelect };
  const range = useListRange(list);
  const onKeyDown = useListKeys(list, range, onOpen);
  const clicks = useListClicks(list, range);
  const ids = useMemo(() => files.map(({ id }) => id).filter((id) => id !== ""), [files]);
  const isAll = ids.length > 0 && ids.every((id) => selected.has(id));
  const sorted = { sort, onSort };
  // Of the same identity at each selection.
  const latest = useRef(selected);
  latest.current = selected;
  const onDrag = useCallback((event: DragEvent, id: string) => {
    startDrag(event, latest.current.has(id) ? [...latest.current] : [id]);
  }, []);
  return (
    // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: its rows are selected, and receive the focus
    <table className="file-table" role="grid" aria-multiselectable aria-rowcount={files.length + 1}>
      <thead>
        <tr aria-rowindex={1}>
          <th scope="col" className="file-select">
            <input
              type="checkbox"
              aria-label={texts.selectAll}
              checked={isAll}
              ref={(box) => {
                if (box) box.indeterminate = !isAll && ids.some((id) => selected.has(id));
              }}
              onChange={() => onSelect(ids, !isAll)}
            />
          </th>
          <SortedHeading {...sorted} ascending="name" descending="name-descending">
            {texts.name}
          </SortedHeading>
          <th scope="col">{texts.access}</th>
          <SortedHeading {...sorted} ascending="smallest" descending="largest">
            {texts.size}
          </SortedHeading>
          <SortedHeading {...sorted} ascending="oldest" descending="newest">
            {texts.added}
          </SortedHeading>
          <th scope="col">{texts.cid}</th>
          <th scope="col">
            <span className="visually-hidden">{texts.actions}</span>
          </th>
        </tr>
      </thead>
      <tbody ref={focus.body} onKeyDown={onKeyDown} {...clicks}>
        {listParts(visible, focus.index).map((part) => {
          if ("height" in part) return <Spacer key={part.name} height={part.height} />;
          const file = files[part.index];
          if (!file) return null;
          return (
            <FileRow
              key={getRowKey(file)}
              file={file}
              showsPlace={showsPlace}
              folder={getRowFolder(file, groups)}
              isUnfinished={groups.unfinished.has(file.cid)}
              sharedTo={sharing.get(file.cid || file.id)}
              isNew={added.has(file.id)}
              rowIndex={part.index + 2}
              isSelected={selected.has(file.id)}
              isCurrent={part.index === focus.index}
              onSelect={onSelect}
              onDrag={onDrag}
              onDelete={onDelete}
            />
          );
        })}
      </tbody>
    </table>
  );
}

function SortedHeading({
  sort,
  onSort,
  ascending,
  descending,
  children,
}: Pick<FileTableProps, "sort" | "onSort"> & { ascending: Sorting; descending: Sorting; children: ReactNode }) {
  const direction = sort === ascending ? "ascending" : sort === descending ? "descending" : undefined;
  // Names are read from A, sizes and times from the largest and the latest.
  const [first, second] = ascending === "name" ? [ascending, descending] : [descending, ascending];
  return (
    <th scope="col" aria-sort={direction}>
      <button type="button" className="file-sort" onClick={() => onSort(sort === first ? second : first)}>
        {children}
        <span aria-hidden="true">{direction === "ascending" ? " ↑" : direction === "descending" ? " ↓" : ""}</span>
      </button>
    </th>
  );
}
