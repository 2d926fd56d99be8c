import { DRIVE_CHANGE_KIND, DRIVE_KIND, getEntries, type JournalLike } from "keeplight/parts";
import { type ChangeState, isChanged } from "./local.ts";

/** What a journal has of the drive of an account. */
export interface JournaledDrive {
  /** Address of the account. */
  account: string;
  /** Whether there are changes that no stored version has. */
  unsaved: boolean;
  /** Whether there are uploads whose files are not in the drive yet. */
  uploading: boolean;
}

/**
 * Lists the drives that a journal knows, without opening one: nothing is sent or signed. What is not complete is completed by
 * opening the drive with that journal, resuming the uploads of the journal, and closing the drive.
 *
 * @throws `INVALID_OPTION` for what `openJournal` did not return; what reading the journal throws
 */
export async function listDrives(journal: JournalLike): Promise<JournaledDrive[]> {
  const found = new Map<string, JournaledDrive>();
  for (const entry of await getEntries(journal).list()) {
    if (!("kind" in entry) || (entry.kind !== DRIVE_KIND && entry.kind !== DRIVE_CHANGE_KIND)) continue;
    const { account } = entry.state as { account: string };
    const known = found.get(account) ?? { account, unsaved: false, uploading: false };
    const change = entry.kind === DRIVE_CHANGE_KIND ? (entry.state as ChangeState) : undefined;
    const unsaved = known.unsaved || (change !== undefined && isChanged(change));
    found.set(account, { account, unsaved, uploading: known.uploading || (change?.plans.length ?? 0) > 0 });
  }
  return [...found.values()];
}
