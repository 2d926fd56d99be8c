import { throwIfAborted } from "../../base/async/abort.ts";
import { mapInOrder } from "../../base/async/parallel.ts";
import { KEY_NODE_CONCURRENCY } from "../../base/config/limits.ts";
import { isKeeplightError, KeeplightError } from "../../base/errors/base.ts";
import { invalidFolder, notOwnerOfFolder } from "../../base/errors/content.ts";
import { notAJwt } from "../../base/errors/input.ts";
import { aborted } from "../../base/errors/transport.ts";
import { isUnfinished, UnfinishedError } from "../../base/errors/unfinished.ts";
import { callback, pickOptions, type Resolved, resolvePart } from "../../base/operation.ts";
import { mixedSchema, type Optional } from "../../base/options.ts";
import { type Addresses, checkAddress } from "../../base/validation/address.ts";
import { checkCid } from "../../formats/cid/content-id.ts";
import {
  createProver,
  type FolderManifest,
  MAX_MANIFEST_BYTES,
  parseManifest,
} from "../../formats/folder-file/manifest.ts";
import { isUnportable } from "../../formats/folder-file/paths.ts";
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
import { refuseSuperseded, takePlace } from "../../keys/nodes/later-calls.ts";
import { keyNodeSchema, openKeyNodes } from "../../keys/nodes/node-client.ts";
import { type DecryptOptions, decrypt } from "../download/decrypt.ts";
import { createProgress, type OnProgress } from "../progress.ts";
import { describeFolder, type OpenedFolder } from "./upload-folder.ts";

const changeSchema = { ...ownerChangeSchema, ...mixedSchema, onProgress: callback<OnProgress>() };

type ResolvedChange = Resolved<typeof changeSchema>;

/** One file of a folder, or its manifest, whose path is empty. */
interface FolderPart {
  path: string;
  cid: string;
  /** What the key of a file is still to prove: that who wrote the manifest had it. */
  expected?: { commitment: string; proof: string | undefined } | undefined;
  /** Why it could not be changed. */
  error?: KeeplightError;
  /** Of the call that changes it, if that has started. */
  started?: UnfinishedError<unknown, OwnerChangeOptions>;
  isDone: boolean;
}

/** One change of a folder, of which some parts may be done. */
interface Change {
  folder: OpenedFolder;
  prove: Awaited<ReturnType<typeof createProver>>;
  changeFile: (cid: string, options: OwnerChangeOptions) => Promise<unknown>;
}

/**
 * Allows addresses to open all files of a folder, or withdraws it: makes the same call for each file. A failure does not
 * stop the others. The manifest follows once all of them are done: its readers can read them all, and until then its list
 * of readers shows that the change is unfinished.
 *
 * @throws `NOT_OWNER` for a folder of another account; `INVALID_FOLDER` for one that may be forged, before anything is
 * changed; an {@link UnfinishedError} if files fail, whose `details.unfinished` lists them with their errors, and whose
 * `resume()` tries those again; `JOURNAL_ENTRY_UNKNOWN` or `OPERATION_UNDONE` once the calls of all that are left are over
 */
export async function changeFolder(
  cid: string,
  options: ResolvedChange,
  access: { shareTo: Addresses } | { revokeTo: Addresses },
): Promise<OpenedFolder> {
  cid = checkCid(cid);
  const place = takePlace();
  // A signature is valid for one file only.
  if (options.authToken?.startsWith("0x")) throw notAJwt();
  const { address } = await resolveOwner(options, openKeyNodes(resolvePart(keyNodeSchema, options)));
  const manifest = await readManifest(cid, pickOptions(options, ownerCallSchema));
  if (manifest.owner !== address) throw notOwnerOfFolder(cid);
  const { proofs, ...described } = manifest;
  const files = described.files.map(({ path, cid, commitment }, at): FolderPart => {
    return { path, cid, expected: { commitment, proof: proofs[at] }, isDone: false };
  });
  return changeParts([...files, { path: "", cid, isDone: false }], options, {
    folder: toOpenedFolder(cid, manifest),
    prove: await createProver(described),
    async changeFile(file, own) {
      const parameters = { ...access, endpoints: options.endpoints };
      const state = { owner: address, cid: file, parameters, nodesDone: [] };
      await refuseSuperseded({ kind: "shareTo" in access ? "share" : "revoke", state }, place);
      await ("shareTo" in access
        ? kavachShare(file, { ...own, ...access })
        : kavachRevoke(file, { ...own, ...access }));
    },
  });
}

async function changeParts(
  parts: readonly FolderPart[],
  { onProgress, ...options }: ResolvedChange,
  change: Change,
): Promise<OpenedFolder> {
  const { signal } = options;
  const own = options as OwnerChangeOptions;
  const progress = createProgress(onProgress, [{ phase: "saving-keys", share: 1 }]);
  // Aborted by the calls themselves, so that each part is either done or listed as unfinished.
  const each = { limit: KEY_NODE_CONCURRENCY, signal: undefined };
  for await (const _ of mapInOrder(parts, each, (part) => proveKey(part, own, change)));
  let done = 0;

  async function changePart(part: FolderPart): Promise<void> {
    const { cid, expected, started } = part;
    if (part.isDone || isOver(part)) return;
    try {
      throwIfAborted(signal);
      if (expected) throw part.error;
      // A call that failed on some nodes continues with those.
      await (started ? started.resume(own) : change.changeFile(cid, own));
      part.isDone = true;
    } catch (error) {
      part.error = isKeeplightError(error) ? error : aborted(error);
      if (isUnfinished<unknown, OwnerChangeOptions>(error)) part.started = error;
    }
    progress.report("saving-keys", ++done, parts.length);
  }

  const files = parts.filter(({ path }) => path !== "");
  for await (const _ of mapInOrder(files, each, changePart));
  if (files.every(({ isDone }) => isDone)) for (const part of parts) if (!part.isDone) await changePart(part);
  const left = parts.filter(({ isDone }) => !isDone);
  const failed = left.filter(({ error }) => error);
  const first = (failed.find((part) => !isOver(part)) ?? failed[0])?.error;
  if (!first) {
    progress.done();
    return change.folder;
  }
  const unfinished = left.map(({ path, cid, error: { code, message } = first }) => ({ path, cid, code, message }));
  if (failed.every(isOver)) {
    throw new KeeplightError(first.code, first.message, { details: { ...first.details, unfinished }, cause: first });
  }
  throw new UnfinishedError<OpenedFolder, Optional<OwnerChangeOptions>>(first.code, first.message, {
    details: { ...first.details, unfinished },
    cause: first,
    resume: async (changed) =>
      changeParts(left, mergeResolved(changeSchema, { ...options, onProgress }, changed), change),
  });
}

/** Whether the call of a part is over, such as by a later one, or the journal's to continue: it is not made again. */
function isOver({ error }: FolderPart): boolean {
  return error?.code === "JOURNAL_ENTRY_UNKNOWN" || error?.code === "OPERATION_UNDONE";
}

/**
 * Checks what a file of a folder has to pass before access to it changes: who wrote the manifest had its key. Otherwise a
 * manifest that someone else wrote and transferred to this account could name any file of it. Keeps the error if that could
 * not be checked, and throws `INVALID_FOLDER` if it is not so.
 */
async function proveKey(part: FolderPart, options: OwnerChangeOptions, { folder, prove }: Change): Promise<void> {
  const { path, cid, expected } = part;
  if (!expected) return;
  const refuse = () => invalidFolder(folder.cid, `who wrote it did not have the key of ${JSON.stringify(path)}`);
  try {
    throwIfAborted(options.signal);
    const search = await searchFileKey(cid, resolvePart(recoverFileKeySchema, options), expected);
    for await (const key of search.keys()) if ((await prove(cid, key)) !== expected.proof) throw refuse();
    part.expected = undefined;
  } catch (error) {
    if (isKeeplightError(error, "COMMITMENT_MISMATCH")) throw refuse();
    if (isKeeplightError(error, "INVALID_FOLDER")) throw error;
    part.error = isKeeplightError(error) ? error : aborted(error);
  }
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
