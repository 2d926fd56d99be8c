import { UsageError } from "../frame/failure.ts";
import type { Invocation } from "../frame/invocation.ts";
import { type Column, formatTable } from "../output/table.ts";
import { checkProfile, chooseProfile, DEFAULT_PROFILE, listProfiles } from "../secrets/profiles.ts";
import { readLogin } from "../secrets/stored-login.ts";

const columns: readonly Column[] = [{ title: "" }, { title: "Profile" }, { title: "Account" }, { title: "Secrets" }];

export async function profileList({ output, account }: Invocation): Promise<void> {
  const rows: string[][] = [];
  for (const name of await listProfiles()) {
    const login = await readLogin(name);
    if (!login) continue;
    const { address, store, signsElsewhere } = login;
    const current = name === account.profile.name;
    output.item({ name, address, store, signs: !signsElsewhere, current });
    rows.push([current ? "*" : "", name, address, `${store}${signsElsewhere ? ", API key only" : ""}`]);
  }
  const format = (width?: number) => (rows.length > 0 ? formatTable(columns, rows, width) : "Nobody is logged in.");
  output.result({ count: rows.length }, format, rows.map(([, name]) => name).join("\n"));
}

export async function profileUse({ output, argument, isDryRun }: Invocation): Promise<void> {
  const name = checkProfile(argument("name"));
  if (name !== DEFAULT_PROFILE && !(await readLogin(name))) {
    throw new UsageError(`There is no profile ${name}`, "NO_PROFILE", `keeplight login --profile ${name}`);
  }
  if (!isDryRun) await chooseProfile(name);
  output.result({ name }, isDryRun ? `Would use ${name}` : `${name} is used where no other profile is named`, name);
}
