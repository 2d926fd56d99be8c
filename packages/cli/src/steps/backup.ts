import { createHash } from "node:crypto";
import { join } from "node:path";
import type { AccountOptions, Retention, WriteOptions } from "@keeplight/backup";
import type { Invocation } from "../frame/invocation.ts";
import { getStateFolder, makeStateFolder } from "../settings.ts";
import { openKitOf, readWhole } from "./inputs.ts";

export const loadBackup = () => import("@keeplight/backup");

/** Returns the folder with what this user knows of the backups of the account, on this machine and network. */
export async function getState({ account, settings, isDryRun }: Invocation): Promise<string> {
  const source = await account.getSource();
  // What signs elsewhere may be of another account than the login.
  const isElsewhere = source === "command" || source === "stdin";
  const signer = (isElsewhere ? undefined : await account.quietSigner()) ?? (await account.signer());
  const address = (await signer.getAddress()).toLowerCase();
  const { api } = settings.endpoints ?? {};
  const network = api === undefined ? "" : `-${createHash("sha256").update(String(api)).digest("hex").slice(0, 8)}`;
  return join(isDryRun ? getStateFolder() : await makeStateFolder(), "backups", address + network);
}

/** What opens backups: the keys of `--kit`, or what signs. */
export async function getReader(invocation: Invocation) {
  const { option, call, keyCall, account } = invocation;
  const path = option("kit");
  if (path === undefined) return { ...keyCall, signer: await account.signer() };
  const kit = await openKitOf(invocation, path);
  return { ...call, key: (cid: string) => kit.keys(cid) };
}

/** The account that has backups. */
export async function getAccount({ account, keyCall }: Invocation): Promise<AccountOptions> {
  return { ...keyCall, ...(await account.owner()) };
}

export async function getWriter(invocation: Invocation): Promise<WriteOptions> {
  const storage = invocation.option("storage");
  return { ...(await getAccount(invocation)), state: await getState(invocation), storage };
}

const RULES = {
  last: "keepLast",
  hour: "keepHours",
  day: "keepDays",
  week: "keepWeeks",
  month: "keepMonths",
  year: "keepYears",
} as const;

/** Reads which snapshots are kept; `undefined` without a rule. */
export function readRetention(invocation: Invocation): Retention | undefined {
  const counts = Object.entries(RULES).map(([rule, option]) => [rule, readWhole(invocation, option)]);
  const tags = invocation.options("keepTag");
  const isRule = tags.length > 0 || counts.some(([, count]) => count !== undefined);
  return isRule ? { ...Object.fromEntries(counts), tags } : undefined;
}
