import type { Invocation } from "../frame/invocation.ts";
import { clean } from "../output/format.ts";
import { formatTable } from "../output/table.ts";
import { checkOnly, openAccountKit, requireConsent } from "../steps/authority.ts";

/** Lists the names of the account. */
export async function runNamesList(invocation: Invocation): Promise<void> {
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

/** Creates a name. */
export async function runNamesCreate(invocation: Invocation): Promise<void> {
  const { output, isDryRun } = invocation;
  const kit = await openAccountKit(invocation);
  if (isDryRun) return output.result({}, { text: () => "Would create a name", quiet: "" });
  const { ipnsName: name, ipnsId: ipns } = await kit.ipnsGenerateKey();
  output.result({ name, ipns }, { text: () => `${clean(name)}  ${clean(ipns)}`, quiet: clean(name) });
}

/** Points a name to a content id. */
export async function runNamesPublish(invocation: Invocation): Promise<void> {
  const { output, argument, isDryRun } = invocation;
  const kit = await openAccountKit(invocation);
  const name = argument("name");
  const cid = argument("cid");
  if (isDryRun) {
    await checkOnly((signal) => kit.ipnsPublishRecord({ cid, keyName: name, signal }));
    return output.result({ name, cid }, { text: () => `Would point ${clean(name)} to ${clean(cid)}`, quiet: "" });
  }
  const { Name: ipns } = await kit.ipnsPublishRecord({ cid, keyName: name });
  output.result({ name, ipns, cid }, { text: () => `${clean(ipns)} points to ${clean(cid)}`, quiet: clean(ipns) });
}

/** Removes a name. */
export async function runNamesRemove(invocation: Invocation): Promise<void> {
  const { output, argument, isDryRun } = invocation;
  const name = argument("name");
  const kit = await openAccountKit(invocation);
  if (isDryRun) return output.result({ name }, { text: () => `Would remove ${clean(name)}`, quiet: "" });
  await requireConsent(invocation, `Remove ${name}? What it points to can never be changed again.`);
  await kit.ipnsRemoveKey(name);
  output.result({ name }, { text: () => `Removed ${clean(name)}`, quiet: "" });
}
