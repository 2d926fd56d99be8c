import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { UsageError } from "../frame/failure.ts";

/** A file of a folder with patterns of files that are left out, as in .gitignore. */
const IGNORE_FILE = ".keeplightignore";

/** Returns the patterns of files of a folder that are left out, as its file `.keeplightignore` has them. */
export async function readIgnoreFile(folder: string): Promise<string> {
  const path = join(folder, IGNORE_FILE);
  const bytes = await readFile(path).catch(({ code }: NodeJS.ErrnoException) => {
    if (code === "ENOENT") return undefined;
    throw new UsageError(`${path} cannot be read (${code})`, "INVALID_FILE");
  });
  const patterns = bytes && decode(bytes);
  if (bytes && patterns === undefined) {
    const message = `${path} is not UTF-8, so that its patterns are unknown. Nothing was sent`;
    throw new UsageError(message, "INVALID_FILE", "Save it as UTF-8, in PowerShell with: Set-Content -Encoding utf8");
  }
  return patterns ?? "";
}

/** Decodes UTF-8, without its mark at the start; `undefined` for anything else. UTF-16 may be valid UTF-8, with NULs. */
function decode(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
