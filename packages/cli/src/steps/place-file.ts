import { link, lstat, rename, rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { UsageError } from "../frame/failure.ts";
import { addNumber } from "./file-names.ts";

/**
 * Runs `work`, which writes a file to a temporary path beside `path`, and then `publish`, which moves it to where it belongs.
 * Errors name `path`. Afterwards the temporary file is gone.
 */
export async function withTemporaryFile<Written>(
  path: string,
  work: (temporary: string) => Promise<Written>,
  publish: (temporary: string) => Promise<void>,
): Promise<Written> {
  const { cannotWrite } = await import("keeplight/parts");
  const { createTemporaryPath } = await import("keeplight/parts/node");
  const temporary = createTemporaryPath(dirname(path));
  try {
    const written = await work(temporary).catch((error: { code?: unknown; cause?: unknown }) => {
      // People know the file by its own name.
      throw error.code === "CANNOT_WRITE" ? cannotWrite(path, error.cause) : error;
    });
    await publish(temporary);
    return written;
  } finally {
    await rm(temporary, { force: true });
  }
}

/**
 * Runs `work`, which writes a file, and puts that at a path where nothing is. What has appeared there meanwhile stays: then the
 * file is saved beside it, under a name with a number, and `FILE_EXISTS` says where.
 */
export function saveNew<Written>(path: string, work: (to: string) => Promise<Written>): Promise<Written> {
  const target = resolve(path);
  return withTemporaryFile(target, work, async (temporary) => {
    if (await moveToFree(temporary, target)) return;
    const other = await moveBeside(temporary, target);
    throw new UsageError(
      `${path} exists already: it appeared meanwhile. The new file is saved as ${other}`,
      "FILE_EXISTS",
    );
  });
}

/** Moves a file to a path, and returns `true`; or returns `false` if something is there, which is never replaced. */
export async function moveToFree(from: string, path: string): Promise<boolean> {
  const { syncFolder, withWriteErrors } = await import("keeplight/parts/node");
  return withWriteErrors(path, async () => {
    // Unlike a rename, a link never replaces a file.
    const problem: NodeJS.ErrnoException | undefined = await link(from, path).then(
      () => undefined,
      (error) => error,
    );
    if (!problem) await rm(from);
    else if (problem.code === "EEXIST" || (await exists(path))) return false;
    // Some file systems have no links.
    else await rename(from, path);
    await syncFolder(dirname(path));
    return true;
  });
}

/** Moves a file to the first free path with a number beside another. Returns where it is. */
async function moveBeside(from: string, path: string): Promise<string> {
  for (let number = 2; ; number++) {
    const other = join(dirname(path), addNumber(basename(path), ` (${number})`));
    if (await moveToFree(from, other)) return other;
  }
}

/** Whether anything is at a path, a link that leads nowhere included. */
export function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
