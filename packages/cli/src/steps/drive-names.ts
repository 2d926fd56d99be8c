import { type Invocation, openCommandJournal } from "../frame/invocation.ts";
import { closeDrive, loadDrive } from "./drive.ts";

/** What the drive says of one stored file. */
export interface DriveName {
  /** Path in the drive. */
  path: string;
  isTrashed: boolean;
  /** Of that version, decrypted, in bytes. */
  size: number;
}

/** What the drive of the account says of its files. */
export interface DriveNames {
  /** Returns what it says of a file, by the content id of any of its versions. */
  find(cid: string): DriveName | undefined;
  /** The account's IPNS name that leads to the newest version of the drive. */
  ipnsName?: string | undefined;
  /** Why no drive was read; `undefined` if it was. */
  problem?: string | undefined;
}

/** How long the drive is waited for, in milliseconds: what is listed does not depend on it. */
const PATIENCE_MS = 20_000;

const NO_DRIVE = "what signs is another account, which has no drive: keeplight whoami";
const NO_SIGNER = "log in (keeplight login), or set KEEPLIGHT_PRIVATE_KEY, to see them";

/**
 * Reads the names of the account's files, as far as nobody has to be asked for anything. A drive is never created for it, and
 * nothing is signed for an account that has none. Never fails, unless the command is interrupted.
 */
export async function readDriveNames(invocation: Invocation): Promise<DriveNames> {
  const { account, keyCall, load, signal } = invocation;
  try {
    const signer = await account.quietSigner();
    const apiKey = await account.tryApiKey();
    if (!signer || apiKey === undefined) return { find: () => undefined, problem: NO_SIGNER };
    const [{ findDrive }, kit] = await Promise.all([loadDrive(), load()]);
    const journal = await openCommandJournal(kit);
    const patience = AbortSignal.timeout(PATIENCE_MS);
    const own = { apiKey, signer, journal, signal: AbortSignal.any([signal, patience]) };
    const drive = await findDrive({ ...keyCall, ...own }).catch((error: unknown) => {
      if (patience.aborted) throw new Error(`no response for ${PATIENCE_MS / 1000} seconds`);
      throw signer.isLocked() ? new Error(NO_SIGNER) : error;
    });
    if (!drive) return { find: () => undefined, problem: NO_DRIVE };
    const names = new Map<string, DriveName>();
    for (const entry of drive.listAll()) {
      const { type, path, trashed: isTrashed } = entry;
      if (type === "file") for (const { cid, size } of drive.versions(entry)) names.set(cid, { path, isTrashed, size });
    }
    const { ipnsName } = drive;
    const { error } = drive.status();
    await closeDrive(invocation, drive);
    return {
      find: (cid) => names.get(cid),
      ipnsName,
      ...(error !== undefined && { problem: (error as Error).message }),
    };
  } catch (error) {
    if (signal.aborted) throw error;
    return { find: () => undefined, problem: (error as Error).message };
  }
}
