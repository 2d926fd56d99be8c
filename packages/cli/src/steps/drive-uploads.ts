import type { AddOptions } from "@keeplight/drive";
import type { Source, UploadedFile } from "keeplight";
import { UsageError } from "../frame/failure.ts";
import type { Invocation } from "../frame/invocation.ts";
import { openAccountKit } from "./authority.ts";
import { withDrive } from "./drive.ts";
import { checkMessagePath, writeMessages } from "./drive-messages.ts";

/**
 * Returns the folder of the drive that encrypted files are added to, empty for the top; `undefined` for files that are stored
 * under visible names, without a drive.
 *
 * @throws `USAGE` for options that exclude each other; what {@link checkMessagePath} throws; `NO_API_KEY` for an upload that is
 * paid for by itself, without an account
 */
export async function readDriveFolder(invocation: Invocation): Promise<string | undefined> {
  const { option, options, flag, account } = invocation;
  const folder = option("to");
  const isVisible = flag("visibleNames");
  const message = option("message");
  if (message !== undefined && options("shareTo").length === 0) {
    throw new UsageError("--message is for those of --share-to: add one");
  }
  if (!flag("encrypt")) {
    if (folder === undefined && !isVisible && message === undefined) return undefined;
    throw new UsageError("Only encrypted files are in the drive, and have hidden names: add -e");
  }
  if (isVisible) {
    if (folder === undefined && message === undefined) return undefined;
    throw new UsageError("--to and --message are of the drive, which --visible-names stores nothing in");
  }
  if (flag("wrap")) {
    const hint = "--to adds the files to a folder of the drive. With --visible-names the network stores a folder.";
    throw new UsageError("--wrap creates a folder that the network sees, and names are hidden", "USAGE", hint);
  }
  await assertName(folder);
  await checkMessagePath(invocation);
  const hasKey = account.secrets.apiKey !== undefined || (await account.login()) !== undefined;
  if (option("payPerUpload") === undefined || hasKey) return folder ?? "";
  const hint =
    "Log in (keeplight login), or set KEEPLIGHT_API_KEY. Or add --visible-names: then the network sees the name, and needs no key.";
  throw new UsageError(
    "There is no API key, and the drive, which has the names, is stored with one",
    "NO_API_KEY",
    hint,
  );
}

/** Refuses a folder that no drive has. */
async function assertName(folder: string | undefined): Promise<void> {
  const path = folder?.replace(/^\/+|\/+$/g, "") ?? "";
  if (path === "") return;
  const { findNameProblem } = await import("keeplight/parts");
  const problem = path.split("/").map(findNameProblem).find(Boolean);
  if (problem !== undefined) throw new UsageError(`--to takes a path such as letters/2026: ${problem}`);
}

/** Adds files to the drive, and returns them as they are stored, by their paths in the drive. */
export async function addToDrive(
  invocation: Invocation,
  source: Source,
  options: AddOptions,
  isReadOnce: boolean,
): Promise<UploadedFile[]> {
  const { option, output, signal } = invocation;
  const journal = await invocation.journal({ kind: "upload", isReadOnce });
  const { encryptedSize } = await import("keeplight/parts");
  return withDrive(invocation, journal, async (drive) => {
    const added = await drive.add(source, { ...options, folder: option("to"), signal });
    await writeMessages(invocation, drive, added);
    const listed = await findListed(
      invocation,
      added.flatMap((file) => drive.versions(file)[1]?.cid ?? []),
    );
    return added.map((file) => {
      const { path, cid, size, nodesMissing, receipt } = file;
      const [, before] = drive.versions(file);
      if (before && listed) {
        output.note(`${path} is a new version; ${listed.has(before.cid) ? "the one before is kept" : GONE}`);
      }
      return {
        ...{ Name: path, Hash: cid, Size: String(encryptedSize(size)) },
        ...(options.storage !== undefined && { storage: options.storage }),
        ...(nodesMissing && { nodesMissing: [...nodesMissing] }),
        ...(receipt && { receipt }),
      };
    });
  });
}

const GONE = "the account does not list the one before, which may have been deleted";

/** Returns those of content ids that the account lists; `undefined`, with a warning, if the listing cannot be read. */
async function findListed(invocation: Invocation, cids: readonly string[]): Promise<ReadonlySet<string> | undefined> {
  const unknown = new Set(cids);
  const listed = new Set<string>();
  if (unknown.size === 0) return listed;
  try {
    const kit = await openAccountKit(invocation);
    for await (const { cid } of kit.iterateFiles({ maxRows: Number.MAX_SAFE_INTEGER })) {
      if (unknown.delete(cid)) listed.add(cid);
      if (unknown.size === 0) break;
    }
  } catch (error) {
    invocation.output.warn(`The listing of the account cannot be read: ${(error as Error).message}`);
    return undefined;
  }
  return listed;
}
