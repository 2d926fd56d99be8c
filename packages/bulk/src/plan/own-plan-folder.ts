import { mkdir } from "node:fs/promises";
import { invalidOption } from "keeplight/parts";
import { takeLock, withWriteErrors } from "keeplight/parts/node";

/**
 * Runs work while no other call, of this or another process, makes the plan of a folder. Creates the folder with mode 0700.
 * Throws `INVALID_OPTION`, `CANNOT_WRITE`.
 */
export async function ownPlanFolder<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const lock = await withWriteErrors(folder, async () => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return takeLock(folder, "plan");
  });
  if (!lock) throw invalidOption("folder", "a folder whose plan is not being made by another call");
  try {
    return await work();
  } finally {
    await lock.release();
  }
}
