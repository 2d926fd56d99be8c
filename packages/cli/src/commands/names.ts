import type { Invocation } from "../frame/invocation.ts";
import { clean } from "../output/format.ts";
import { formatTable } from "../output/table.ts";
import { checkOnly, openAccountKit, requireConsent } from "../steps/authority.ts";
import { readDriveNames } from "../steps/drive-names.ts";

export async function namesList(invocation: Invocation): Promise<void> {
  const { output } = invocation;
  const kit = await openAccountKit(invocation);
  const all = await kit.ipnsListRecords();
  // That of the drive is used by the drive alone.
  const { ipnsName: ofDrive } = all.length > 0 ? await readDriveNames(invocation) : {};
  const records = all.filter(({ ipnsName }) => ipnsName !== ofDrive);
  for (const { ipnsName, ipnsId, cid } of records) output.item({ name: ipnsName, ipns: ipnsId, cid: cid || null });
  const rows = records.map(({ ipnsName, ipnsId, cid }) => [ipnsName, ipnsId, cid || "nothing yet"]);
  const columns = [{ title: "Name" }, { title: "IPNS" }, { title: "Points to" }];
  output.result(
    { count: records.length },
    (width) => (rows.length > 0 ? formatTable(columns, rows, width) : "There are no names: keeplight names create"),
    records.map(({ ipnsName }) => clean(ipnsName)).join("\n"),
  );
}

export async function namesCreate(invocation: Invocation): Promise<void> {
  const { output, isDryRun } = invocation;
  const kit = await openAccountKit(invocation);
  if (isDryRun) return output.result({}, "Would create a name");
  const { ipnsName: name, ipnsId: ipns } = await kit.ipnsGenerateKey();
  output.result({ name, ipns }, `${clean(name)}  ${clean(ipns)}`, clean(name));
}

export async function namesPublish(invocation: Invocation): Promise<void> {
  const { output, argument, isDryRun } = invocation;
  const kit = await openAccountKit(invocation);
  const name = argument("name");
  const cid = argument("cid");
  if (isDryRun) {
    await checkOnly((signal) => kit.ipnsPublishRecord({ cid, keyName: name, signal }));
    return output.result({ name, cid }, `Would point ${clean(name)} to ${clean(cid)}`);
  }
  const { Name: ipns } = await kit.ipnsPublishRecord({ cid, keyName: name });
  output.result({ name, ipns, cid }, `${clean(ipns)} points to ${clean(cid)}`, clean(ipns));
}

export async function namesRemove(invocation: Invocation): Promise<void> {
  const { output, argument, isDryRun } = invocation;
  const name = argument("name");
  const kit = await openAccountKit(invocation);
  if (isDryRun) return output.result({ name }, `Would remove ${clean(name)}`);
  await requireConsent(invocation, `Remove ${name}? What it points to can never be changed again.`);
  await kit.ipnsRemoveKey(name);
  output.result({ name }, `Removed ${clean(name)}`);
}
