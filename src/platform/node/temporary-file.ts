import { randomBytes } from "node:crypto";
import { type FileHandle, open, readdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { getHostId, getOwnStartTime, isDead } from "./process-identity.ts";

/** A file that only this user may read, to be renamed or removed. */
export interface TemporaryFile {
  path: string;
  /** For writing and reading. */
  handle: FileHandle;
  /** Resolves once the files of dead processes in the folder are removed. */
  tidied: Promise<void>;
}

/**
 * Creates a temporary file whose name identifies its process, and removes those in the same folder whose process is
 * dead. Files of processes that cannot be checked stay: those of another machine that shares the folder, or of another
 * container.
 */
export async function openTemporary(folder: string): Promise<TemporaryFile> {
  const path = createTemporaryPath(folder);
  const handle = await open(path, "wx+", 0o600);
  return { path, handle, tidied: removeLeftOver(folder) };
}

/** Returns a new path in a folder, under which a file is removed once this process is dead. */
export function createTemporaryPath(folder: string): string {
  const random = randomBytes(8).toString("hex");
  return join(folder, `.keeplight-${getHostId()}-${process.pid}-${getOwnStartTime()}-${random}.part`);
}

const NAME = /^\.keeplight-([0-9a-f]{12})-(\d+)-(\d+)-[0-9a-f]{16}\.part$/;

/** Whether a name is that of a temporary file, of any process. */
export function isTemporary(name: string): boolean {
  return NAME.test(name);
}

/** Removes the temporary files of dead processes in a folder, as far as it can. */
export async function removeLeftOver(folder: string): Promise<void> {
  // A folder may be writable but not readable.
  const names = await readdir(folder).catch(() => []);
  for (const name of names) {
    const [, origin, pid = "", start = ""] = NAME.exec(name) ?? [];
    if (origin === getHostId() && isDead(Number(pid), start)) await unlink(join(folder, name)).catch(() => undefined);
  }
}
