import { mapInOrder } from "../async/map-in-order.ts";
import { KEY_NODE_CONCURRENCY } from "../config/limits.ts";
import { isKeeplightError, type KeeplightError } from "../errors/base.ts";
import { notOwnerOfFolder } from "../errors/folder.ts";
import { notAJwt } from "../errors/input.ts";
import { aborted } from "../errors/transport.ts";
import { isUnfinished, UnfinishedError } from "../errors/unfinished.ts";
import type { resolveOwner } from "../kavach/auth/owner.ts";
import type { mergeResumeOptions } from "../kavach/nodes/merge-options.ts";
import type { resolveKeyNodes } from "../kavach/nodes/node-client.ts";
import { type OwnerCallOptions, type OwnerChangeOptions, ownerCallNames } from "../kavach/nodes/owner-call.ts";
import type { Optional } from "../options.ts";
import type { createProgress, OnProgress } from "../transfer/progress.ts";
import { pickOptions } from "../validation/check-options.ts";
import type { OpenedFolder } from "./read-folder.ts";

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
type ChangeFile = (cid: string, options: OwnerChangeOptions) => Promise<unknown>;

/** What a change is made of. Imported here, it would be split from what a page loads at once. */
export interface ChangeCalls {
  change: ChangeFile;
  /** Reads the folder as its owner. */
  read: (cid: string, options: OwnerCallOptions) => Promise<OpenedFolder>;
  createProgress: typeof createProgress;
  mergeResumeOptions: typeof mergeResumeOptions;
  resolveKeyNodes: typeof resolveKeyNodes;
  resolveOwner: typeof resolveOwner;
}

/**
 * Makes the same call for each file of a folder, and for its manifest last. A failure does not stop the others.
 *
 * @throws `NOT_OWNER` for a folder of another account; an {@link UnfinishedError} if files fail, whose
 * `details.unfinished` lists them with their errors, and whose `resume()` tries those again
 */
export async function changeFolder(
  cid: string,
  options: FolderChangeOptions,
  calls: ChangeCalls,
): Promise<OpenedFolder> {
  // A signature is valid for one file only.
  if (options.authToken?.startsWith("0x")) throw notAJwt();
  const { address } = await calls.resolveOwner(options, calls.resolveKeyNodes(options));
  const folder = await calls.read(cid, pickOptions(options, ownerCallNames) as OwnerCallOptions);
  if (folder.owner !== address) throw notOwnerOfFolder(cid);
  const parts = [...folder.files.map(({ path, cid }) => ({ path, cid })), { path: "", cid: folder.cid }];
  return changeParts(folder, parts, new Map(), options, calls);
}

async function changeParts(
  folder: OpenedFolder,
  parts: readonly FolderPart[],
  failedBefore: ReadonlyMap<string, KeeplightError>,
  { onProgress, ...options }: FolderChangeOptions,
  calls: ChangeCalls,
): Promise<OpenedFolder> {
  const { signal } = options;
  const progress = calls.createProgress(onProgress, [{ phase: "saving-keys", share: 1 }]);
  const failed: FailedPart[] = [];
  let done = 0;

  async function changePart(part: FolderPart): Promise<void> {
    try {
      if (signal?.aborted) throw aborted(signal.reason);
      const own = options as OwnerChangeOptions;
      const before = failedBefore.get(part.cid);
      // A call that failed on some nodes continues with those.
      await (isUnfinished<unknown, OwnerChangeOptions>(before) ? before.resume(own) : calls.change(part.cid, own));
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
      const resumed = { ...calls.mergeResumeOptions(options as OwnerChangeOptions, changed), onProgress };
      return changeParts(folder, failed, errors, resumed, calls);
    },
  });
}
