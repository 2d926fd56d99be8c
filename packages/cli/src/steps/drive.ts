import type { Drive } from "@keeplight/drive";
import type { Journal } from "keeplight";
import type { Invocation } from "../frame/invocation.ts";

/** The functions of the drive, loaded by the commands that open it. */
export const loadDrive = () => import("@keeplight/drive");

/**
 * Runs work with the drive of the account, which is created if the account has none, and stores what has changed, also if the work
 * fails. What cannot be stored stays in the journal, and is warned of.
 *
 * @throws `NO_API_KEY`, `NO_SIGNER`, `ACCOUNT_MISMATCH`; what opening the drive and `work` throw
 */
export async function withDrive<Result>(
  invocation: Invocation,
  journal: Journal,
  work: (drive: Drive) => Promise<Result>,
): Promise<Result> {
  const { account, keyCall } = invocation;
  const { openDrive } = await loadDrive();
  const drive = await openDrive({ ...keyCall, ...(await account.owner()), journal });
  try {
    return await work(drive);
  } finally {
    await closeDrive(invocation, drive);
  }
}

/** Stores what is not stored of a drive, and ends it. Never fails. */
export async function closeDrive({ output }: Invocation, drive: Drive): Promise<void> {
  try {
    await drive.close();
  } catch (error) {
    const { message } = error as Error;
    output.warn(
      `The newest names and folders are on this machine only: ${message}. The next command that opens the drive stores them, such as keeplight resume.`,
    );
  }
}

/** Lists the addresses of the accounts whose drives have changes that only the journal has. */
export async function listUnsavedDrives(journal: Journal): Promise<string[]> {
  const { listDrives } = await loadDrive();
  return (await listDrives(journal)).flatMap(({ account, unsaved }) => (unsaved ? [account] : []));
}

/**
 * Runs work with the account's drive open, if it is one of those that have changes which only the journal has: uploads that are
 * completed meanwhile get their places in it. Stores what has changed.
 *
 * @param unsaved - addresses of the accounts of these drives
 * @throws `NO_API_KEY`, `NO_SIGNER`, `ACCOUNT_MISMATCH`; what opening the drive and `work` throw
 */
export async function withUnsavedDrive<Result>(
  invocation: Invocation,
  journal: Journal,
  unsaved: readonly string[],
  work: () => Promise<Result>,
): Promise<Result> {
  const { account, output } = invocation;
  const address = (await (await account.ownSigner()).getAddress()).toLowerCase();
  const others = unsaved.filter((each) => each.toLowerCase() !== address);
  for (const other of others) output.note(`Names in the drive of ${other} are not stored yet: resume as that account`);
  if (others.length === unsaved.length) return work();
  return withDrive(invocation, journal, async (drive) => {
    const result = await work();
    // What was stored while nothing noted it is found in the listing, by its random name.
    await drive.sync().catch(() => undefined);
    return result;
  });
}
