import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** Creates a folder with these files, by path; `remove()` deletes it. */
export async function createTempFolder(
  files: Readonly<Record<string, string>>,
): Promise<{ path: string; remove: () => Promise<void> }> {
  const parent = await mkdtemp(join(tmpdir(), "keeplight-example-"));
  const path = join(parent, "site");
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true });
    await writeFile(join(path, name), text);
  }
  return { path, remove: () => rm(parent, { recursive: true, force: true }) };
}
