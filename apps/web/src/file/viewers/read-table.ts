/** Reads rows of CSV (RFC 4180), separated by commas, semicolons or tabs: at most `limit` of them. */
export function readTable(text: string, limit: number): string[][] {
  const source = text.replace(/^\ufeff/, "");
  const separator = findSeparator(source);
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = "";
  let isQuoted = false;
  const endRow = () => {
    rows.push([...row, cell]);
    row = [];
    cell = "";
  };
  for (let at = 0; at < source.length && rows.length < limit; at++) {
    const character = source[at] ?? "";
    if (isQuoted) {
      if (character !== '"') cell += character;
      else if (source[at + 1] === '"') cell += source[at++];
      else isQuoted = false;
    } else if (character === '"' && cell === "") isQuoted = true;
    else if (character === separator) {
      row.push(cell);
      cell = "";
    } else if (character === "\n") endRow();
    else if (character !== "\r") cell += character;
  }
  if (rows.length < limit && (cell !== "" || row.length > 0)) endRow();
  return rows;
}

/** Returns the separator that is most frequent in the first line. */
function findSeparator(text: string): string {
  const [line = ""] = text.split("\n", 1);
  const count = (separator: string) => line.split(separator).length;
  return [",", ";", "\t"].reduce((best, other) => (count(other) > count(best) ? other : best));
}
