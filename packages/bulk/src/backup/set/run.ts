import { randomBytes } from "node:crypto";
import { mkdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { cannotWrite, invalidOption, sourceUnreadable } from "keeplight/parts";
import { replaceFile } from "keeplight/parts/node";

/** Where the files of a set's state are. */
export function toPlaces(folder: string) {
  const run = join(folder, "run");
  return {
    /** What the last scan has found, with the content ids of all that is stored. */
    index: join(folder, "index.jsonl"),
    /** Folder of a backup that is not complete. */
    run,
    /** Folder of one that is complete, while it is removed. */
    over: `${run}.old`,
    /** What its scan has found, as far as it is. */
    scan: join(run, "scan.jsonl"),
    /** What its scan has found, with the content ids that were known before. */
    tree: join(run, "tree.jsonl"),
    /** Says that the tree is complete. */
    started: join(run, "run.json"),
    /** The plan that sends it. */
    plan: join(run, "plan"),
  };
}

/** The places of a set's state. */
export type Places = ReturnType<typeof toPlaces>;

/** A backup whose tree is complete. */
export interface StartedRun {
  /** Random: 8 hex digits. */
  id: string;
  /** How many files have to be sent. */
  files: number;
}

/** Creates the folder of a new run, in place of any other. */
export async function createRun({ run }: Places): Promise<void> {
  try {
    await rm(run, { recursive: true, force: true });
    await mkdir(run, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw cannotWrite(run, error);
  }
}

/** Records that the tree of a run is complete. */
export async function startRun({ started }: Places, files: number): Promise<StartedRun> {
  const run: StartedRun = { id: randomBytes(4).toString("hex"), files };
  try {
    await replaceFile(started, new TextEncoder().encode(JSON.stringify(run)), { durable: true });
  } catch (error) {
    throw cannotWrite(started, error);
  }
  return run;
}

/** Returns the run whose tree is complete, if there is one. Throws `SOURCE_UNREADABLE`, `INVALID_OPTION`. */
export async function readRun({ run, started }: Places): Promise<StartedRun | undefined> {
  let text: string;
  try {
    text = await readFile(started, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw sourceUnreadable(started, error);
  }
  try {
    return JSON.parse(text) as StartedRun;
  } catch {
    throw invalidOption(
      "state",
      `the state of a backup: ${started} is damaged; without ${run} its files are sent again`,
    );
  }
}

/** Removes what a run has left, once the index has it. */
export async function removeRun({ run, over }: Places): Promise<void> {
  try {
    // At once: what is left of a run that was removed in part would be taken for one that was not completed.
    await rm(over, { recursive: true, force: true });
    await rename(run, over);
    await rm(over, { recursive: true, force: true });
  } catch (error) {
    throw cannotWrite(run, error);
  }
}
