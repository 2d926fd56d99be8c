import { mapInOrder } from "../../base/async/parallel.ts";
import { KEY_NODE_CONCURRENCY } from "../../base/config/limits.ts";
import { isKeeplightError, type KeeplightError } from "../../base/errors/base.ts";
import { invalidFolder, notOwnerOfFolder } from "../../base/errors/content.ts";
import { notAJwt } from "../../base/errors/input.ts";
import { aborted } from "../../base/errors/transport.ts";
import { isUnfinished, UnfinishedError } from "../../base/errors/unfinished.ts";
import { callback, pickOptions, type Resolved, resolvePart } from "../../base/operation.ts";
import { mixedSchema, type Optional } from "../../base/options.ts";
import { type Addresses, checkAddress } from "../../base/validation/address.ts";
import { isUnportable } from "../../base/validation/file-name.ts";
import { checkCid } from "../../formats/cid/content-id.ts";
import {
  createProver,
  type FolderManifest,
  MAX_MANIFEST_BYTES,
  parseManifest,
} from "../../formats/folder-file/manifest.ts";
import { kavachGetAccessConditions } from "../../keys/access/get-access-conditions.ts";
import { kavachRevoke, kavachShare } from "../../keys/access/share.ts";
import {
  mergeResolved,
  type OwnerChangeOptions,
  ownerCallSchema,
  ownerChangeSchema,
  resolveOwner,
} from "../../keys/auth/owner.ts";
import { recoverFileKeySchema, searchFileKey } from "../../keys/file-keys/recover-file-key.ts";
import { keyNodeSchema, openKeyNodes } from "../../keys/nodes/node-client.ts";
import { type DecryptOptions, decrypt } from "../download/decrypt.ts";
import { createProgress, type OnProgress } from "../progress.ts";
import { describeFolder, type OpenedFolder } from "./finish-folder.ts";

const changeSchema = { ...ownerChangeSchema, ...mixedSchema, onProgress: callback<OnProgress>() };

type ResolvedChange = Resolved<typeof changeSchema>;

/** One change of a folder, of which some parts may be done. */
interface Change {
  folder: OpenedFolder;
  check: Awaited<ReturnType<typeof createPartCheck>>;
  changeFile: (cid: string, options: OwnerChangeOptions) => Promise<unknown>;
}

/**
 * Allows addresses to open all files of a folder, or withdraws it: makes the same call for each file. A failure does not
 * stop the others. The manifest follows once all of them are done: its readers can read them all, and until then its list
 * of readers shows that the change is unfinished.
 *
 * @throws `NOT_OWNER` for a folder of another account; `INVALID_FOLDER` for one that may be forged, before anything is
 * changed; an {@link UnfinishedError} if files fail, whose `details.unfinished` lists them with their errors, and whose
 * `resume()` tries those again
 */
export async function changeFolder(
  cid: string,
  options: ResolvedChange,
  access: { shareTo: Addresses } | { revokeTo: Addresses },
): Promise<OpenedFolder> {
  cid = checkCid(cid);
  // A signature is valid for one file only.
  if (options.authToken?.startsWith("0x")) throw notAJwt();
  const { address } = await resolveOwner(options, openKeyNodes(resolvePart(keyNodeSchema, options)));
  const manifest = await readManifest(cid, pickOptions(options, ownerCallSchema));
  if (manifest.owner !== address) throw notOwnerOfFolder(cid);
  const parts = [...manifest.files.map(({ path, cid }) => ({ path, cid })), { path: "", cid }];
  const change: Change = {
    folder: toOpenedFolder(cid, manifest),
    check: await createPartCheck(cid, manifest),
    changeFile: (file, own) =>
      "shareTo" in access ? kavachShare(file, { ...own, ...access }) : kavachRevoke(file, { ...own, ...access }),
  };
  return changeParts(parts, new Map(), options, change);
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
  const failed: (FolderPart & { error: KeeplightError })[] = [];
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
  const unfinished = [...failed, ...waiting.map((part) => ({ ...part, error: { code, message } }))].map(
    ({ path, cid, error }) => ({ path, cid, code: error.code, message: error.message }),
  );
  throw new UnfinishedError<OpenedFolder, Optional<OwnerChangeOptions>>(code, message, {
    details: { ...details, unfinished },
    cause: first.error,
    resume: async (changed) => {
      const errors = new Map(failed.map(({ cid, error }) => [cid, error]));
      const resumed = mergeResolved(changeSchema, { ...options, onProgress }, changed);
      return changeParts([...failed, ...waiting], errors, resumed, change);
    },
  });
}

/** One file of a folder, or its manifest, whose path is empty. */
interface FolderPart {
  path: string;
  cid: string;
}

/**
 * Creates the check that a folder has to pass before access to its files changes: who wrote its manifest had the key of
 * each file. Otherwise a manifest that someone else wrote and transferred to this account could name any file of it.
 *
 * The check skips parts that it has checked. It resolves to the errors of those that it could not check, by content id, and
 * throws `INVALID_FOLDER` as soon as one file fails it.
 */
async function createPartCheck(cid: string, { proofs, ...manifest }: FolderManifest) {
  const prove = await createProver(manifest);
  const unchecked = new Map(manifest.files.map(({ cid, commitment }, at) => [cid, { commitment, proof: proofs[at] }]));

  async function checkPart(part: FolderPart, options: OwnerChangeOptions): Promise<KeeplightError | undefined> {
    const expected = unchecked.get(part.cid);
    if (!expected) return undefined;
    const refuse = () => invalidFolder(cid, `who wrote it did not have the key of ${JSON.stringify(part.path)}`);
    try {
      if (options.signal?.aborted) throw aborted(options.signal.reason);
      const { commitment } = expected;
      const search = await searchFileKey(part.cid, resolvePart(recoverFileKeySchema, options), { commitment });
      for await (const key of search.keys()) {
        if ((await prove(part.cid, key)) !== expected.proof) throw refuse();
      }
      unchecked.delete(part.cid);
      return undefined;
    } catch (error) {
      if (!isKeeplightError(error)) return aborted(error);
      if (error.code === "COMMITMENT_MISMATCH") throw refuse();
      if (error.code === "INVALID_FOLDER") throw error;
      return error;
    }
  }

  return async (parts: readonly FolderPart[], options: OwnerChangeOptions) => {
    const errors = new Map<string, KeeplightError>();
    const check = async (part: FolderPart) => {
      const error = await checkPart(part, options);
      if (error) errors.set(part.cid, error);
    };
    // Aborted by each check itself: the parts of a change that is resumed must stay listed as unfinished.
    for await (const _ of mapInOrder(parts, { limit: KEY_NODE_CONCURRENCY, signal: undefined }, check));
    return errors;
  };
}

/** Options of {@link decrypt}, of a call that has resolved its own. */
type ReadOptions = { key?: string | readonly string[] | undefined };

export async function readFolder(cid: string, options: ReadOptions): Promise<OpenedFolder> {
  cid = checkCid(cid);
  return toOpenedFolder(cid, await readManifest(cid, options));
}

async function readManifest(cid: string, options: ReadOptions): Promise<FolderManifest> {
  const onProgress = ({ loaded }: { loaded: number }) => {
    if (loaded > 2 * MAX_MANIFEST_BYTES) throw invalidFolder(cid, "it is too large");
  };
  const bytes = await decrypt(cid, { ...(options as DecryptOptions), onProgress });
  const manifest = parseManifest(cid, bytes);
  if (options.key === undefined) {
    const access = await kavachGetAccessConditions(cid, pickOptions(options, keyNodeSchema));
    if (checkAddress(access.owner) !== manifest.owner) throw invalidFolder(cid, "another account owns its key");
  }
  return manifest;
}

function toOpenedFolder(cid: string, manifest: FolderManifest): OpenedFolder {
  const { owner, createdAt, files } = manifest;
  const unportablePaths = files.map(({ path }) => path).filter(isUnportable);
  return {
    ...describeFolder(cid, manifest),
    owner,
    createdAt,
    ...(unportablePaths.length > 0 ? { unportablePaths } : {}),
  };
}
