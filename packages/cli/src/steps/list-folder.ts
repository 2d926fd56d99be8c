import type { FolderEntry } from "keeplight";
import { UsageError } from "../frame/failure.ts";
import type { Invocation } from "../frame/invocation.ts";
import { clean, formatBytes } from "../output/format.ts";
import { type Column, formatTable } from "../output/table.ts";
import { readWhole } from "./inputs.ts";
import { readReference } from "./reference.ts";
import { listEntries } from "./remote-tree.ts";

const columns: readonly Column[] = [
  { title: "Name", shrinks: true },
  { title: "Size", align: "right" },
  { title: "Kind", optional: true },
  { title: "Content id" },
];

/** Lists what is in a public folder of the network: `ls <cid>/path`. */
export async function listRemoteFolder(invocation: Invocation, typed: string): Promise<void> {
  const { output, flag, option } = invocation;
  if (flag("all") || option("storage") !== undefined) {
    throw new UsageError("--all and --storage are for the files of the account, without a folder");
  }
  const limit = readWhole(invocation, "limit") ?? Number.POSITIVE_INFINITY;
  const entries: FolderEntry[] = [];
  if (limit > 0) {
    for await (const entry of listEntries(invocation, await readReference(typed))) {
      const { name, size = null, type, cid } = entry;
      entries.push(entry);
      if (flag("json")) output.item({ name, size, type, cid });
      if (entries.length >= limit || output.isClosed) break;
    }
  }
  const toRow = ({ name, size, type, cid }: FolderEntry) => [name, type === "file" ? formatBytes(size) : "", type, cid];
  const format = (width?: number) => (entries.length > 0 ? formatTable(columns, entries.map(toRow), width) : "");
  output.result({ count: entries.length }, format, entries.map(({ cid }) => clean(cid)).join("\n"));
  if (entries.length === 0) output.note("The folder is empty.");
}
