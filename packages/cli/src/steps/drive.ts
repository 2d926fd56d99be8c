import type { Drive, JournaledDrive } from "@keeplight/drive";
import type { Journal } from "keeplight";
import type { Invocation } from "../frame/invocation.ts";
import { resumeCommand } from "../frame/type-again.ts";

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
  const { account, keyCall, output, signal } = invocation;
  const { openDrive } = await loadDrive();
  const owner = await account.owner();
  const drive = await openDrive({ ...keyCall, ...owner, journal }).catch((error: unknown) => {
    if (!signal.aborted) output.warn("The drive could not be opened. Nothing was sent.");
    throw error;
  });
  try {
    return await work(drive);
  } finally {
    await closeDrive(invocation, drive);
  }
}

/** Stores what is not stored of a drive, and ends it. Never fails. */
export async function closeDrive({ output, option, signal, setResume }: Invocation, drive: Drive): Promise<void> {
  try {
    await drive.close({ signal });
  } catch (error) {
    const resume = resumeCommand(option("profile"));
    setResume(resume);
    const { message } = error as Error;
    output.warn(
      `The newest names and folders are on this machine only: ${message}. The next command that opens the drive stores them, such as ${resume}.`,
    );
  }
}

/** Lists the drives of which only the journal has something: changes, or where files that are uploaded are to be. */
export async function listOpenDrives(journal: Journal): Promise<JournaledDrive[]> {
  const { listDrives } = await loadDrive();
  return (await listDrives(journal)).filter(({ unsaved, uploading }) => unsaved || uploading);
}

/**
 * Runs work with the account's drive open, if it is one of those of which only the journal has something: uploads that are
 * completed meanwhile get their places in it. Stores what has changed.
 *
 * @param drives - as {@link listOpenDrives} returns them
 * @throws `NO_API_KEY`, `NO_SIGNER`, `ACCOUNT_MISMATCH`; what opening the drive and `work` throw
 */
export async function withOpenDrive<Result>(
  invocation: Invocation,
  journal: Journal,
  drives: readonly JournaledDrive[],
  work: () => Promise<Result>,
): Promise<Result> {
  const { account, output } = invocation;
  const address = (await (await account.ownSigner()).getAddress()).toLowerCase();
  const others = drives.filter((each) => each.account.toLowerCase() !== address);
  for (const { account: other, unsaved } of others) {
    if (unsaved) output.note(`Names in the drive of ${other} are not stored yet: resume as that account`);
  }
  if (others.length === drives.length) return work();
  return withDrive(invocation, journal, async (drive) => {
    const result = await work();
    // What was stored while nothing noted it is found in the listing, by its random name.
    const { untilAborted } = await import("keeplight/parts");
    await untilAborted(drive.sync(), invocation.signal).catch(() => undefined);
    return result;
  });
}
