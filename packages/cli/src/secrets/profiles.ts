import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { env } from "node:process";
import { UsageError } from "../frame/failure.ts";
import { getStateFolder, writePrivateFile } from "../settings.ts";

/** An account of this user: its API key and what signs for it belong together. */
export interface Profile {
  name: string;
  /** Whether it was named for this command: then no API key of the environment is used instead of its own. */
  isNamed: boolean;
}

/** The profile where none is named or chosen. */
export const DEFAULT_PROFILE = "default";

/** Has the name of the profile that was chosen. */
const CHOICE = "profile";

/** Returns the profile that a command is for: the one that was named, or else the one that was chosen. Throws `USAGE`. */
export async function readProfile(option: string | undefined): Promise<Profile> {
  const named = option ?? (env["KEEPLIGHT_PROFILE"] || undefined);
  if (named !== undefined) return { name: checkProfile(named), isNamed: true };
  return { name: await readChoice(), isNamed: false };
}

async function readChoice(): Promise<string> {
  const chosen = (await readFile(join(getStateFolder(), CHOICE), "utf8").catch(() => "")).trim();
  return isProfile(chosen) ? chosen : DEFAULT_PROFILE;
}

/** Chooses the default again, if this profile was chosen. */
export async function forgetChoice(name: string): Promise<void> {
  if ((await readChoice()) === name) await rm(join(getStateFolder(), CHOICE), { force: true });
}

/** Makes a profile the one of commands that name none. */
export const chooseProfile = (name: string) => writePrivateFile(CHOICE, `${name}\n`);

/** Names files on every system. */
const isProfile = (name: string) => /^[a-z0-9][a-z0-9_-]{0,31}$/.test(name);

export function checkProfile(name: string): string {
  if (isProfile(name)) return name;
  throw new UsageError("The name of a profile has 1 to 32 characters: a to z, digits, - and _");
}

/** Returns the name of the file with the login of a profile. */
export const toLoginFile = (name: string) => (name === DEFAULT_PROFILE ? "login.json" : `login-${name}.json`);

/** Lists the profiles that are logged in, by name. */
export async function listProfiles(): Promise<string[]> {
  const files = await readdir(getStateFolder()).catch(() => []);
  const names = files.flatMap((file) => {
    if (file === toLoginFile(DEFAULT_PROFILE)) return DEFAULT_PROFILE;
    return /^login-(.+)\.json$/.exec(file)?.[1] ?? [];
  });
  return names.filter(isProfile).sort();
}
