import { randomBytes } from "node:crypto";
import { open, readFile, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { UsageError } from "../frame/usage-error.ts";

/**
 * Replaces the text of a file at once, and keeps its mode.
 *
 * @param before - what the file is known to be; it is not replaced if it is something else meanwhile
 */
export async function replaceFile(path: string, before: string, after: string): Promise<void> {
  const { mode } = await stat(path);
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString("hex")}.tmp`);
  try {
    const file = await open(temporary, "wx", mode);
    try {
      await file.chmod(mode & 0o7777);
      await file.writeFile(after);
      await file.sync();
    } finally {
      await file.close();
    }
    if ((await readFile(path, "utf8")) !== before) {
      throw new UsageError(`${path} was changed meanwhile`, { code: "FILE_CHANGED", hint: "Run the command again." });
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
