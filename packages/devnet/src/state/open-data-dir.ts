import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { invalidDevnetOption } from "../check-options.ts";
import { openState } from "./open-state.ts";
import type { State } from "./stored-map.ts";
import { takeFolder } from "./take-folder.ts";

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
 * @throws DevnetError `INVALID_OPTION` if it cannot be created, is in use, or is damaged.
 */
export async function openDataDir(path: string): Promise<DataDir> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : "unknown";
    throw invalidDevnetOption(`Invalid option dataDir: ${problem}`, { dir: path }, cause);
  }
  const release = await takeFolder(path);
  try {
    // of uploads whose process was killed, maybe in another container
    await rm(join(path, "spool"), { recursive: true, force: true });
    const state = openState(path);
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
