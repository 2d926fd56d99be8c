// @ts-check
import { mkdtempSync, rmSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { killAll } from "./processes.mjs";

/**
 * Creates a temporary folder. Once this process ends, also by a signal, its children are killed and the folder is
 * removed.
 *
 * @param {string} [parent]
 * @returns {string} its path
 */
export function createScratch(parent = tmpdir()) {
  const path = mkdtempSync(join(parent, "keeplight-bench-"));
  process.on("exit", () => {
    killAll();
    // A child that was just killed may still be writing.
    rmSync(path, { recursive: true, force: true, maxRetries: 20 });
  });
  for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) {
    process.once(signal, () => process.exit(128 + constants.signals[signal]));
  }
  return path;
}
