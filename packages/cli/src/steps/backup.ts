import { createHash } from "node:crypto";
import { basename, join, resolve } from "node:path";
import type { BackupAccount } from "@keeplight/bulk/backup";
import type { Invocation } from "../frame/invocation.ts";
import { makeStateFolder } from "../settings/folders.ts";

/** Loads the functions for backups. */
export const loadBackup = () => import("@keeplight/bulk/backup");

/** Returns where the state of the backups of a folder is, for this user. */
export async function getBackupState(folder: string): Promise<string> {
  const path = resolve(folder);
  const name = basename(path).replace(/[^\w.-]+/g, "_");
  const hash = createHash("sha256").update(path).digest("hex").slice(0, 16);
  return join(await makeStateFolder(), "backups", `${name}-${hash}`);
}

/** The account that backups are stored for. */
export async function getBackupAccount({ account, keyCall }: Invocation): Promise<BackupAccount> {
  return { ...keyCall, ...(await account.owner()) };
}
