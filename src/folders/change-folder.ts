import { mapInOrder } from "../async/map-in-order.ts";
import { KEY_NODE_CONCURRENCY } from "../config/limits.ts";
import { isKeeplightError, type KeeplightError } from "../errors/base.ts";
import { notOwnerOfFolder } from "../errors/folder.ts";
import { notAJwt } from "../errors/input.ts";
import { aborted } from "../errors/transport.ts";
import { isUnfinished, UnfinishedError } from "../errors/unfinished.ts";
import type { OwnerCallOptions, OwnerChangeOptions } from "../kavach/nodes/owner-call.ts";
import type { Optional } from "../options.ts";
import type { OnProgress } from "../transfer/progress.ts";
import { copyOptions, pickOptions } from "../validation/check-options.ts";
import { createPartCheck, type FolderPart, type PartCheck } from "./check-parts.ts";
import type { FolderCalls } from "./folder-calls.ts";
import { type OpenedFolder, readManifest, toOpenedFolder } from "./read-folder.ts";

/** Options of changing who may open a folder. */
export type FolderChangeOptions = OwnerChangeOptions & {
  /** Receives how many of the files are done, in `loaded`. @default none */
  onProgress?: OnProgress | undefined;
};

/** A part that failed, and how to try it again. */
interface FailedPart extends FolderPart {
  error: KeeplightError;
}

/** What a change is made of. */
interface ChangeCalls extends FolderCalls {
  /** Changes who may open one file. */
  changeFile: (cid: string, options: OwnerChangeOptions) => Promise<unknown>;
}

/** One change of a folder, of which some parts may be done. */
interface Change {
  folder: OpenedFolder;
  check: PartCheck;
  calls: ChangeCalls;
}

/**
 * Makes the same call for each file of a folder. A failure does not stop the others. The manifest follows once all of them
 * are done: its readers can read them all, and until then its list of readers shows that the change is unfinished.
 *
 * @throws `NOT_OWNER` for a folder of another account; `INVALID_FOLDER` for one that may be forged, before anything is
 * changed; an {@link UnfinishedError} if files fail, whose `details.unfinished` lists them with their errors, and whose
 * `resume()` tries those again
 */
export async function changeFolder(
  cid: string,
  options: FolderChangeOptions,
  calls: ChangeCalls,
): Promise<OpenedFolder> {
  // A signature is valid for one file only.
  if (options.authToken?.startsWith("0x")) throw notAJwt();
  const { address } = await calls.resolveOwner(options);
  const manifest = await readManifest(cid, pickOptions(options, calls.ownerCallNames) as OwnerCallOptions, calls);
  if (manifest.owner !== address) throw notOwnerOfFolder(cid);
  const parts = [...manifest.files.map(({ path, cid }) => ({ path, cid })), { path: "", cid }];
  const check = await createPartCheck(cid, manifest, calls);
  return changeParts(parts, new Map(), options, { folder: toOpenedFolder(cid, manifest), check, calls });
}

async function changeParts(
  parts: readonly FolderPart[],
  failedBefore: ReadonlyMap<string, KeeplightError>,
  { onProgress, ...options }: FolderChangeOptions,
  change: Change,
): Promise<OpenedFolder> {
  const { folder, check, calls } = change;
  const { signal } = options;
  const own = options as OwnerChangeOptions;
  const progress = calls.createProgress(onProgress, [{ phase: "saving-keys", share: 1 }]);
  const unchecked = await check(parts, own);
  const failed: FailedPart[] = [];
  let done = 0;

  async function changePart(part: FolderPart): Promise<void> {
    try {
      if (signal?.aborted) throw aborted(signal.reason);
      const problem = unchecked.get(part.cid);
      if (problem) throw problem;
      const before = failedBefore.get(part.cid);
      // A call that failed on some nodes continues with those.
      await (isUnfinished<unknown, OwnerChangeOptions>(before) ? before.resume(own) : calls.changeFile(part.cid, own));
    } catch (error) {
      failed.push({ ...part, error: isKeeplightError(error) ? error : aborted(error) });
    }
    progress.report("saving-keys", ++done, parts.length);
  }

  const files = parts.filter(({ path }) => path !== "");
  const manifest = parts.filter(({ path }) => path === "");
  // Aborted by the calls themselves, so that each file is either done or listed as unfinished.
  for await (const _ of mapInOrder(files, { limit: KEY_NODE_CONCURRENCY, signal: undefined }, changePart));
  const waiting = failed.length > 0 ? manifest : [];
  if (waiting.length === 0) for (const part of manifest) await changePart(part);
  const [first] = failed;
  if (!first) {
    progress.done();
    return folder;
  }
  const { code, message, details } = first.error;
  throw new UnfinishedError<OpenedFolder, Optional<OwnerChangeOptions>>(code, message, {
    details: {
      ...details,
      unfinished: [...failed, ...waiting.map((part) => ({ ...part, error: { code, message } }))].map(
        ({ path, cid, error }) => ({ path, cid, code: error.code, message: error.message }),
      ),
    },
    cause: first.error,
    resume: async (given) => {
      const changed = copyOptions(given);
      const errors = new Map(failed.map(({ cid, error }) => [cid, error]));
      const resumed = { ...calls.mergeResumeOptions(own, changed), onProgress };
      return changeParts([...failed, ...waiting], errors, resumed, change);
    },
  });
}
