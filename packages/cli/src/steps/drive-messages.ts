import { constants } from "node:fs";
import { access, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { AddedFile, Drive } from "@keeplight/drive";
import { EXIT, UsageError } from "../frame/failure.ts";
import type { Invocation } from "../frame/invocation.ts";
import { exists } from "./place-file.ts";

/**
 * Checks that the file of `--message` can be created, before anything is sent.
 *
 * @throws `FILE_EXISTS`, `CANNOT_WRITE`
 */
export async function checkMessagePath({ option }: Invocation): Promise<void> {
  const path = option("message");
  if (path === undefined) return;
  if (await exists(path)) {
    throw new UsageError(`${path} exists already, and --message creates a new file. Nothing was sent`, "FILE_EXISTS");
  }
  const folder = dirname(path);
  try {
    await access(folder, constants.W_OK);
    if ((await stat(folder)).isDirectory()) return;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`No file can be created in ${folder} (${code}). Nothing was sent`, "CANNOT_WRITE");
  }
  throw new UsageError(`${folder} is not a folder. Nothing was sent`, "CANNOT_WRITE");
}

/**
 * Writes messages with the names of files that were added, one line for each recipient, if `--message` requests them. The files are
 * stored by then: messages that cannot be written are printed instead, and the command ends as incomplete.
 */
export async function writeMessages(
  { option, options, output }: Invocation,
  drive: Drive,
  files: readonly AddedFile[],
): Promise<void> {
  const path = option("message");
  if (path === undefined) return;
  const messages: string[] = [];
  const fail = (problem: string) => {
    process.exitCode = EXIT.resumable;
    output.warn(`The files are stored and shared, but ${problem}`);
  };
  try {
    for (const to of options("shareTo")) messages.push(await drive.createMessage(files, { to }));
  } catch (error) {
    const again = "The same command signs one, and stores the files once more, as new versions";
    return fail(`no message has their names: ${(error as Error).message}. ${again}.`);
  }
  try {
    await writeFile(path, `${messages.join("\n")}\n`, { flag: "wx", mode: 0o600 });
    output.note(`The names are in ${path}: send each line to its recipient, whose drive reads it`);
  } catch (error) {
    const instead = `Send each of these lines to its recipient:\n${messages.join("\n")}`;
    fail(`the message cannot be written to ${path}: ${(error as Error).message}. ${instead}`);
  }
}
