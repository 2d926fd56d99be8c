import { formatNumber } from "../../messages/format.ts";
import { useMessages } from "../../messages/language.ts";
import { readTable } from "./read-table.ts";

const SHOWN_ROWS = 1_000;
const SHOWN_COLUMNS = 40;
const SHOWN_CHARACTERS = 500;

/** The first rows of a table; the first of them is its head. */
export function TableView({ text }: { text: string }) {
  const { preview } = useMessages();
  const [head = [], ...rows] = readTable(text, SHOWN_ROWS + 2);
  const shown = rows.slice(0, SHOWN_ROWS);
  return (
    <>
      <table className="table-view">
        <thead>
          <tr>
            {head.slice(0, SHOWN_COLUMNS).map((cell, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: cells have no other identity, and never move.
              <th key={at} scope="col">
                {cell.slice(0, SHOWN_CHARACTERS)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((row, rowAt) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other identity, and never move.
            <tr key={rowAt}>
              {row.slice(0, SHOWN_COLUMNS).map((cell, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: -
                <td key={at}>{cell.slice(0, SHOWN_CHARACTERS)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > shown.length && (
        <p className="quiet preview-part">{preview.partOfRows(formatNumber(SHOWN_ROWS))}</p>
      )}
    </>
  );
}
