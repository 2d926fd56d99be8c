import { useRef } from "react";
import { useMessages } from "../messages/language.ts";
import { Spacer } from "../ui/spacer.tsx";
import { useVisibleRows } from "../ui/use-visible-rows.ts";
import { FolderRow, type ShownEntry } from "./folder-row.tsx";

/** Height of a row, in `rem`, as the style sheet has it. */
const ROW = 3.25;

/** The entries of a folder; only the rows in and near the window are rendered. */
export function FolderTable({
  entries,
  folder,
  path,
}: {
  entries: readonly ShownEntry[];
  folder: string;
  path: string;
}) {
  const { folder: texts } = useMessages();
  const body = useRef<HTMLTableSectionElement>(null);
  const { start, end, before, after } = useVisibleRows(body, entries.length, ROW);
  return (
    <table className="folder-table" aria-rowcount={entries.length + 1}>
      <thead>
        <tr aria-rowindex={1}>
          <th scope="col">{texts.name}</th>
          <th scope="col">{texts.size}</th>
          <th scope="col">
            <span className="visually-hidden">{texts.actions}</span>
          </th>
        </tr>
      </thead>
      <tbody ref={body}>
        <Spacer height={before} />
        {entries.slice(start, end).map((entry, at) => (
          <FolderRow key={entry.name} entry={entry} folder={folder} path={path} rowIndex={start + at + 2} />
        ))}
        <Spacer height={after} />
      </tbody>
    </table>
  );
}
