import { mkdir } from "node:fs/promises";
import { homedir, platform } from "node:os";
import { isAbsolute, join } from "node:path";
import { env } from "node:process";
import { UsageError } from "../frame/usage-error.ts";

/** The folder of the configuration, according to the XDG Base Directory Specification. */
export const getConfigFolder = () => locate("XDG_CONFIG_HOME", "APPDATA", ".config");

/** The folder of what is kept from run to run: the journal and the login. */
export const getStateFolder = () => locate("XDG_STATE_HOME", "LOCALAPPDATA", join(".local", "state"));

/** Creates the folder of the state, which only this user can read; returns its path. Throws `CANNOT_WRITE`. */
export async function makeStateFolder(): Promise<string> {
  const folder = getStateFolder();
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch(async (error: unknown) => {
    const { cannotWrite } = await import("keeplight/parts");
    throw cannotWrite(folder, error);
  });
  return folder;
}

function locate(variable: string, onWindows: string, belowHome: string): string {
  const named = env[variable] || (platform() === "win32" ? env[onWindows] : undefined);
  // The specification ignores relative paths.
  if (named && isAbsolute(named)) return join(named, "keeplight");
  return join(findHome(variable), belowHome, "keeplight");
}

function findHome(variable: string): string {
  try {
    const home = homedir();
    if (isAbsolute(home)) return home;
  } catch {
    // This user has no entry in the system's list.
  }
  throw new UsageError(`There is no home folder: set HOME or ${variable}`, { code: "NO_HOME" });
}
