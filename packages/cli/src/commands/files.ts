import type { ListedFile } from "keeplight";
import { UsageError } from "../frame/failure.ts";
import type { Invocation } from "../frame/invocation.ts";
import { clean, formatBytes, formatTime } from "../output/format.ts";
import { type Column, formatTable } from "../output/table.ts";
import { checkOnly, openAccountKit, requireConsent } from "../steps/authority.ts";
import { readWhole } from "../steps/inputs.ts";

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
export async function runLs(invocation: Invocation): Promise<void> {
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

/** Adds content that is already on IPFS to the account. */
export async function runPin(invocation: Invocation): Promise<void> {
  const { output, argument, option, isDryRun } = invocation;
  const kit = await openAccountKit(invocation);
  const cid = argument("cid");
  const name = option("name");
  if (isDryRun) await checkOnly((signal) => kit.pinCid(cid, { fileName: name, signal }));
  else await kit.pinCid(cid, { fileName: name });
  const verb = isDryRun ? "Would pin" : "Pinned";
  output.result(
    { cid, name: name ?? null },
    { text: () => `${verb} ${clean(name ?? "")}${name === undefined ? "" : "  "}${clean(cid)}`, quiet: "" },
  );
}

/** Deletes files of the account. */
export async function runRm(invocation: Invocation): Promise<void> {
  const { output, list, isDryRun } = invocation;
  const kit = await openAccountKit(invocation);
  const requested = new Set(list("cid"));
  const found: ListedFile[] = [];
  const seen = new Set<string>();
  for await (const file of kit.iterateFiles({ maxRows: Number.MAX_SAFE_INTEGER })) {
    const matches = [file.cid, file.id].filter((each) => each !== "" && requested.has(each));
    if (matches.length === 0 || file.id === "") continue;
    found.push(file);
    for (const match of matches) seen.add(match);
  }
  const unknown = [...requested].filter((each) => !seen.has(each));
  if (unknown.length > 0) {
    throw new UsageError(`The account has no file ${unknown.join(", ")}`, { code: "NOT_LISTED", hint: "keeplight ls" });
  }
  const names = found.map(({ fileName, cid }) => fileName ?? cid);
  if (!isDryRun) await requireConsent(invocation, `Delete ${names.slice(0, 5).join(", ")}${moreThan(5, names)}?`);
  for (const { id, cid, fileName } of found) {
    if (!isDryRun) await kit.deleteFile(id);
    const verb = isDryRun ? "Would delete" : "Deleted";
    output.item(
      { id, cid, name: fileName },
      { text: () => `${verb} ${clean(fileName ?? "?")}  ${clean(cid)}`, quiet: "" },
    );
  }
  output.result({ count: isDryRun ? 0 : found.length }, { text: () => "", quiet: "" });
}

function moreThan(shown: number, names: readonly string[]): string {
  return names.length > shown ? ` and ${names.length - shown} more` : "";
}
