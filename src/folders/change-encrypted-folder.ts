import { mapInOrder } from "../async/map-in-order.ts";
import { KEY_NODE_CONCURRENCY } from "../config/limits.ts";
import { isKeeplightError, type KeeplightError } from "../errors/base.ts";
import { notOwnerOfFolder } from "../errors/folder.ts";
import { notAJwt } from "../errors/input.ts";
import { aborted } from "../errors/transport.ts";
import { isUnfinished, UnfinishedError } from "../errors/unfinished.ts";
import { resolveOwner } from "../kavach/auth/owner.ts";
import { mergeResumeOptions } from "../kavach/nodes/merge-options.ts";
import { resolveKeyNodes } from "../kavach/nodes/node-client.ts";
import { type OwnerCallOptions, type OwnerChangeOptions, ownerCallNames } from "../kavach/nodes/owner-call.ts";
import type { Optional } from "../options.ts";
import { createProgress, type OnProgress } from "../transfer/progress.ts";
import { pickOptions } from "../validation/check-options.ts";
import { type OpenedFolder, readEncryptedFolder } from "./read-encrypted-folder.ts";

/** Options of changing who may open a folder. */
export type FolderChangeOptions = OwnerChangeOptions & {
  /** Receives how many of the files are done, in `loaded`. @default none */
  onProgress?: OnProgress | undefined;
};

/** One file of a folder, or its manifest, whose path is empty. */
interface FolderPart {
  path: string;
  cid: string;
}

/** A part that failed, and how to try it again. */
interface FailedPart extends FolderPart {
  error: KeeplightError;
}

/** Changes who may open one file; `failed` is the error of an earlier attempt. */
type ChangeFile = (cid: string, options: OwnerChangeOptions, failed: KeeplightError | undefined) => Promise<unknown>;

/**
 * Makes the same call for each file of a folder, and for its manifest last. A failure does not stop the others.
 *
 * @throws `NOT_OWNER` for a folder of another account; an {@link UnfinishedError} if files fail, whose
 * `details.unfinished` lists them with their errors, and whose `resume()` tries those again
 */
export async function changeEncryptedFolder(
  cid: string,
  options: FolderChangeOptions,
  change: ChangeFile,
): Promise<OpenedFolder> {
  // A signature is valid for one file only.
  if (options.authToken?.startsWith("0x")) throw notAJwt();
  const { address } = await resolveOwner(options, resolveKeyNodes(options));
  const folder = await readEncryptedFolder(cid, pickOptions(options, ownerCallNames) as OwnerCallOptions);
  if (folder.owner !== address) throw notOwnerOfFolder(cid);
  const parts = [...folder.files.map(({ path, cid }) => ({ path, cid })), { path: "", cid: folder.cid }];
  return changeParts(folder, parts, new Map(), options, change);
}

async function changeParts(
  folder: OpenedFolder,
  parts: readonly FolderPart[],
  failedBefore: ReadonlyMap<string, KeeplightError>,
  { onProgress, ...options }: FolderChangeOptions,
  change: ChangeFile,
): Promise<OpenedFolder> {
  const { signal } = options;
  const progress = createProgress(onProgress, [{ phase: "saving-keys", share: 1 }]);
  const failed: FailedPart[] = [];
  let done = 0;

  async function changePart(part: FolderPart): Promise<void> {
    try {
      if (signal?.aborted) throw aborted(signal.reason);
      await change(part.cid, options as OwnerChangeOptions, failedBefore.get(part.cid));
    } catch (error) {
      failed.push({ ...part, error: isKeeplightError(error) ? error : aborted(error) });
    }
    progress.report("saving-keys", ++done, parts.length);
  }

  // Aborted by the calls themselves, so that each file is either done or listed as unfinished.
  for await (const _ of mapInOrder(parts, { limit: KEY_NODE_CONCURRENCY, signal: undefined }, changePart));
  const [first] = failed;
  if (!first) {
    progress.done();
    return folder;
  }
  const { code, message, details } = first.error;
  throw new UnfinishedError<OpenedFolder, Optional<OwnerChangeOptions>>(code, message, {
    details: {
      ...details,
      unfinished: failed.map(({ path, cid, error }) => ({ path, cid, code: error.code, message: error.message })),
    },
    cause: first.error,
    resume: async (changed) => {
      const errors = new Map(failed.map(({ cid, error }) => [cid, error]));
      const resumed = { ...mergeResumeOptions(options as OwnerChangeOptions, changed), onProgress };
      return changeParts(folder, failed, errors, resumed, change);
    },
  });
}

/** Continues a call that failed on some nodes, or makes it. */
export function resumeOr<Options extends object>(
  failed: KeeplightError | undefined,
  options: Options,
  call: () => Promise<unknown>,
): Promise<unknown> {
  return isUnfinished<unknown, Options>(failed) ? failed.resume(options) : call();
}
