import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { invalidDevnetOption } from "../check-options.ts";
import { openState, STATE_FILE } from "./open-state.ts";
import type { State } from "./stored-map.ts";
import { LOCK, takeFolder } from "./take-folder.ts";

/** A folder that keeps a whole network. */
export interface DataDir {
  path: string;
  state: State;
  /** Lets another devnet use it. */
  close(): Promise<void>;
}

/**
 * Opens the folder of a network for this devnet alone, and creates it if it is missing.
 *
 * @throws DevnetError `INVALID_OPTION` if it cannot be created, is in use, is damaged, or has files of something else where those
 * of a devnet would be.
 */
export async function openDataDir(path: string): Promise<DataDir> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : "unknown";
    throw invalidDevnetOption(`Invalid option dataDir: ${problem}`, { dir: path }, cause);
  }
  await refuseForeign(path);
  const release = await takeFolder(path);
  try {
    const state = openState(path);
    // of uploads whose process was killed, maybe in another container
    await rm(join(path, "spool"), { recursive: true, force: true });
    return {
      path,
      state,
      close() {
        state.close();
        return release();
      },
    };
  } catch (error) {
    await release();
    throw error;
  }
}

/** Throws `INVALID_OPTION` for a folder without the state of a devnet that has something which a devnet would replace. */
async function refuseForeign(path: string): Promise<void> {
  const names = await readdir(path);
  if (names.includes(STATE_FILE)) return;
  for (const name of names) {
    const isForeign = FOLDERS.has(name) || (LOCK.test(name) && !(await isLock(join(path, name))));
    if (isForeign) throw invalidDevnetOption(`Invalid option dataDir: ${name} in ${path} is not a devnet's`, { path });
  }
}

const FOLDERS: ReadonlySet<string> = new Set(["spool", "blocks"]);

/** Whether a file may be a lock: one that is being written is empty, and one that was released meanwhile is gone. */
async function isLock(path: string): Promise<boolean> {
  const text = await readFile(path, "utf8").catch(() => "");
  try {
    if (text !== "") JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
