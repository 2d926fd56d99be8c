import { stat } from "node:fs/promises";
import { invalidOption } from "../../base/errors/input.ts";
import { cannotWrite } from "../../base/errors/source.ts";
import { toPath } from "./files.ts";

/** Resolves the path of a file that is to be written; throws `INVALID_OPTION`. */
export function toTarget(target: string | URL): string {
  return toPath(target, () => invalidOption("to", "a path or a file: URL of this machine"));
}

/** Throws `CANNOT_WRITE` for a device or a pipe: a rename would replace it, and others still use it. */
export async function refuseNonFile(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found && !found.isFile()) throw cannotWrite(path, new Error("it is not a file"));
}

/** Runs `work` and translates its errors to `CANNOT_WRITE`. */
export async function withWriteErrors<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw cannotWrite(path, error);
  }
}
