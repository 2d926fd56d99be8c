import type { Invocation } from "../frame/invocation.ts";
import { formatBytes } from "../output/format.ts";
import { formatTable } from "../output/table.ts";
import { openKitOf } from "../steps/recovery-kit.ts";

/** Lists the files of a recovery kit. Keys are never printed. */
export async function run(invocation: Invocation): Promise<void> {
  const { output, argument } = invocation;
  const { entries } = await openKitOf(invocation, argument("path"));
  for (const { cid, name, size } of entries) output.item({ cid, name, size: size ?? null });
  const rows = entries.map(({ cid, name, size }) => [name ?? "?", formatBytes(size), cid]);
  const columns = [
    { title: "Name", shrinks: true },
    { title: "Size", align: "right" as const },
    { title: "Content id" },
  ];
  output.result(
    { count: entries.length },
    { text: (width) => formatTable(columns, rows, width), quiet: entries.map(({ cid }) => cid).join("\n") },
  );
}
