import type { ListedFile } from "keeplight";
import type { Invocation } from "../frame/invocation.ts";
import { UsageError } from "../frame/usage-error.ts";
import { clean } from "../output/clean.ts";
import { requireConsent } from "../steps/consent.ts";
import { openAccountKit } from "../steps/kits.ts";

/** Deletes files of the account. */
export async function run(invocation: Invocation): Promise<void> {
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
