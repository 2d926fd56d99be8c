import { mkdir, open, rename } from "node:fs/promises";
import { join } from "node:path";
import { cannotWrite, invalidOption } from "keeplight/parts";
import { readVersionedJson } from "keeplight/parts/node";
import type { BulkPlan } from "./types.ts";

/** What the folder of a plan says about it; the counts are absent until its manifest is complete. */
export type StoredPlan = Omit<BulkPlan, "folder" | "files" | "bytes" | "bytesToSend" | "batches"> &
  Partial<Pick<BulkPlan, "files" | "bytes" | "batches">>;

const VERSION = 1;

/** Returns the path of a plan's manifest. */
export function getManifestPath(folder: string): string {
  return join(folder, "manifest.jsonl");
}

/** Returns the path of the list of what a plan leaves out. */
export function getSkippedPath(folder: string): string {
  return join(folder, "skipped.jsonl");
}

/** Reads the plan of a folder; `undefined` if there is none. Throws `INVALID_OPTION`, `SOURCE_UNREADABLE`. */
export async function readPlanFile(folder: string): Promise<StoredPlan | undefined> {
  const path = join(folder, "plan.json");
  return readVersionedJson<StoredPlan>(path, VERSION, () =>
    invalidOption("folder", `a folder of a plan: ${path} is damaged, or of a later version`),
  );
}

/** Writes the plan of a folder, durably and as a whole; creates the folder with mode 0700. Throws `CANNOT_WRITE`. */
export async function writePlanFile(folder: string, plan: StoredPlan): Promise<void> {
  const path = join(folder, "plan.json");
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const handle = await open(`${path}.new`, "w", 0o600);
    try {
      await handle.writeFile(`${JSON.stringify({ version: VERSION, ...plan }, undefined, 2)}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(`${path}.new`, path);
  } catch (error) {
    throw cannotWrite(path, error);
  }
}
