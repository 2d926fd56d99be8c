import { mapInOrder } from "../../base/async/map-in-order.ts";
import { callback } from "../../base/checks.ts";
import { KEY_NODE_CONCURRENCY } from "../../base/config/limits.ts";
import { isKeeplightError, type KeeplightError } from "../../base/errors/base.ts";
import { notOwnerOfFolder } from "../../base/errors/folder.ts";
import { notAJwt } from "../../base/errors/input.ts";
import { aborted } from "../../base/errors/transport.ts";
import { isUnfinished, UnfinishedError } from "../../base/errors/unfinished.ts";
import { pickOptions, type Resolved, resolvePart } from "../../base/operation.ts";
import type { Optional } from "../../base/options.ts";
import type { Addresses } from "../../base/validation/address.ts";
import { checkCid } from "../../formats/cid/check-cid.ts";
import { kavachRevoke } from "../../keys/access/revoke.ts";
import { kavachShare } from "../../keys/access/share.ts";
import { resolveOwner } from "../../keys/auth/owner.ts";
import { keyNodeSchema, openKeyNodes } from "../../keys/nodes/node-client.ts";
import {
  mergeResolved,
  type OwnerChangeOptions,
  ownerCallSchema,
  ownerChangeSchema,
} from "../../keys/nodes/owner-call.ts";
import { createProgress, type OnProgress } from "../progress.ts";
import { createPartCheck, type FolderPart, type PartCheck } from "./check-parts.ts";
import { type OpenedFolder, readManifest, toOpenedFolder } from "./read-folder.ts";

/** Allows addresses to open all files of a folder; see the public function `shareEncryptedFolder`. */
export function shareFolder(cid: string, options: ResolvedChange, shareTo: Addresses): Promise<OpenedFolder> {
  return changeFolder(cid, options, (file, own) => kavachShare(file, { ...own, shareTo }));
}

/** Withdraws it; see the public function `revokeEncryptedFolder`. */
export function revokeFolder(cid: string, options: ResolvedChange, revokeTo: Addresses): Promise<OpenedFolder> {
  return changeFolder(cid, options, (file, own) => kavachRevoke(file, { ...own, revokeTo }));
}

const changeSchema = { ...ownerChangeSchema, onProgress: callback<OnProgress>() };

type ResolvedChange = Omit<Resolved<typeof changeSchema>, "timeoutMs"> & { timeoutMs: number | undefined };

/** A part that failed, and how to try it again. */
interface FailedPart extends FolderPart {
  error: KeeplightError;
}

/** Changes who may open one file. */
type ChangeFile = (cid: string, options: OwnerChangeOptions) => Promise<unknown>;

/** One change of a folder, of which some parts may be done. */
interface Change {
  folder: OpenedFolder;
  check: PartCheck;
  changeFile: ChangeFile;
}

/**
 * Makes the same call for each file of a folder. A failure does not stop the others. The manifest follows once all of them
 * are done: its readers can read them all, and until then its list of readers shows that the change is unfinished.
 *
 * @throws `NOT_OWNER` for a folder of another account; `INVALID_FOLDER` for one that may be forged, before anything is
 * changed; an {@link UnfinishedError} if files fail, whose `details.unfinished` lists them with their errors, and whose
 * `resume()` tries those again
 */
async function changeFolder(cid: string, options: ResolvedChange, changeFile: ChangeFile): Promise<OpenedFolder> {
  cid = checkCid(cid);
  // A signature is valid for one file only.
  if (options.authToken?.startsWith("0x")) throw notAJwt();
  const { address } = await resolveOwner(options, openKeyNodes(resolvePart(keyNodeSchema, options)));
  const manifest = await readManifest(cid, pickOptions(options, ownerCallSchema));
  if (manifest.owner !== address) throw notOwnerOfFolder(cid);
  const parts = [...manifest.files.map(({ path, cid }) => ({ path, cid })), { path: "", cid }];
  const check = await createPartCheck(cid, manifest);
  return changeParts(parts, new Map(), options, { folder: toOpenedFolder(cid, manifest), check, changeFile });
}

async function changeParts(
  parts: readonly FolderPart[],
  failedBefore: ReadonlyMap<string, KeeplightError>,
  { onProgress, ...options }: ResolvedChange,
  change: Change,
): Promise<OpenedFolder> {
  const { folder, check, changeFile } = change;
  const { signal } = options;
  const own = options as OwnerChangeOptions;
  const progress = createProgress(onProgress, [{ phase: "saving-keys", share: 1 }]);
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
      await (isUnfinished<unknown, OwnerChangeOptions>(before) ? before.resume(own) : changeFile(part.cid, own));
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
    resume: async (changed) => {
      const errors = new Map(failed.map(({ cid, error }) => [cid, error]));
      const resumed = mergeResolved(changeSchema, { ...options, onProgress } as Resolved<typeof changeSchema>, changed);
      return changeParts([...failed, ...waiting], errors, resumed, change);
    },
  });
}
