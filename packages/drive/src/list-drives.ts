import { DRIVE_CHANGE_KIND, DRIVE_KIND, getEntries, type JournalLike } from "keeplight/parts";

/** What a journal has of the drive of an account. */
export interface JournaledDrive {
  /** Address of the account. */
  account: string;
  /** Whether there are changes that no stored version has, or uploads whose files are not in the drive yet. */
  unsaved: boolean;
}

/**
 * Lists the drives that a journal knows, without opening one: nothing is sent or signed. What is `unsaved` is stored once the drive
 * is opened and closed with that journal.
 *
 * @throws `INVALID_OPTION` for what `openJournal` did not return; what reading the journal throws
 */
export async function listDrives(journal: JournalLike): Promise<JournaledDrive[]> {
  const found = new Map<string, boolean>();
  for (const entry of await getEntries(journal).list()) {
    if (!("kind" in entry) || (entry.kind !== DRIVE_KIND && entry.kind !== DRIVE_CHANGE_KIND)) continue;
    const { account } = entry.state as { account: string };
    found.set(account, found.get(account) === true || entry.kind === DRIVE_CHANGE_KIND);
  }
  return [...found].map(([account, unsaved]) => ({ account, unsaved }));
}
