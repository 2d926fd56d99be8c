import type { Invocation } from "../frame/invocation.ts";
import { clean } from "../output/clean.ts";
import { formatTable } from "../output/table.ts";
import { openAccountKit } from "../steps/kits.ts";

/** Lists the names of the account. */
export async function run(invocation: Invocation): Promise<void> {
  const { output } = invocation;
  const kit = await openAccountKit(invocation);
  const records = await kit.ipnsListRecords();
  for (const { ipnsName, ipnsId, cid } of records) output.item({ name: ipnsName, ipns: ipnsId, cid: cid || null });
  const rows = records.map(({ ipnsName, ipnsId, cid }) => [ipnsName, ipnsId, cid || "nothing yet"]);
  const columns = [{ title: "Name" }, { title: "IPNS" }, { title: "Points to" }];
  output.result(
    { count: records.length },
    {
      text: (width) =>
        records.length > 0 ? formatTable(columns, rows, width) : "There are no names: keeplight names create",
      quiet: records.map(({ ipnsName }) => clean(ipnsName)).join("\n"),
    },
  );
}
