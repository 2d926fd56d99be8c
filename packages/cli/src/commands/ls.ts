import type { ListedFile } from "keeplight";
import type { Invocation } from "../frame/invocation.ts";
import { clean } from "../output/clean.ts";
import { formatBytes, formatTime } from "../output/format.ts";
import { type Column, formatTable } from "../output/table.ts";
import { openAccountKit } from "../steps/kits.ts";
import { readWhole } from "../steps/numbers.ts";

const columns: readonly Column[] = [
  { title: "Name", shrinks: true },
  { title: "Size", align: "right" },
  { title: "Created", optional: true },
  { title: "", optional: true },
  { title: "Content id" },
];
/** Rows of a table that is printed at once: its columns fit these. */
const PAGE = 1_000;

/** Lists the files of the account. */
export async function run(invocation: Invocation): Promise<void> {
  const { output, option } = invocation;
  const limit = readWhole("--limit", option("limit")) ?? Number.POSITIVE_INFINITY;
  const kit = await openAccountKit(invocation);
  let page: ListedFile[] = [];
  let count = 0;

  /** With `--json` and `--quiet` each file is printed at once; a table needs its rows. */
  function print(isLast: boolean): void {
    const rows = page.map(toRow);
    const text = (width: number | undefined) => formatTable(columns, rows, width);
    const quiet = page.map(({ cid }) => clean(cid)).join("\n");
    const shown = { text: (width: number | undefined) => (rows.length > 0 ? text(width) : ""), quiet };
    page = [];
    if (isLast) output.result({ count }, shown);
    else output.item({}, shown);
  }

  if (limit > 0) {
    // Nothing is kept of what is printed.
    for await (const file of kit.iterateFiles({ maxRows: Number.MAX_SAFE_INTEGER })) {
      if (output.isClosed) break;
      count += 1;
      if (invocation.flag("json")) output.item(toItem(file));
      else page.push(file);
      if (count >= limit) break;
      if (page.length === PAGE) print(false);
    }
  }
  print(true);
  if (count === 0) output.note("The account has no files.");
}

function toItem({ id, cid, fileName, fileSizeInBytes, encryption, createdAt }: ListedFile) {
  const size = fileSizeInBytes === null || fileSizeInBytes === "" ? null : Number(fileSizeInBytes);
  return { id, cid, name: fileName, size, encrypted: encryption, createdAt };
}

function toRow({ cid, fileName, fileSizeInBytes, encryption, createdAt }: ListedFile): string[] {
  const lock = encryption ? "encrypted" : "";
  return [fileName ?? "?", formatBytes(fileSizeInBytes), formatTime(createdAt), lock, cid];
}
