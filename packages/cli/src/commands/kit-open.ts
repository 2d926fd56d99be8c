import { EXIT } from "../frame/exit-codes.ts";
import type { Invocation } from "../frame/invocation.ts";
import { formatBytes } from "../output/format.ts";
import { formatTable } from "../output/table.ts";
import { openKitOf } from "../steps/recovery-kit.ts";

/** Lists the files of a recovery kit. Keys are never printed. */
export async function run(invocation: Invocation): Promise<void> {
  const { output, argument } = invocation;
  const { entries, unread } = await openKitOf(invocation, argument("path"));
  // The rest is listed, but it is not what was asked for.
  if (unread.length > 0) process.exitCode = EXIT.failed;
  for (const { cid, name, size } of entries) output.item({ cid, name, size: size ?? null });
  const rows = entries.map(({ cid, name, size }) => [name ?? "?", formatBytes(size), cid]);
  const columns = [
    { title: "Name (unverified)", shrinks: true },
    { title: "Size (unverified)", align: "right" as const },
    { title: "Content id" },
  ];
  output.result(
    {
      count: entries.length,
      unread: unread.map(({ file, error: { code, message } }) => ({ file, code, message })),
    },
    { text: (width) => formatTable(columns, rows, width), quiet: entries.map(({ cid }) => cid).join("\n") },
  );
}
