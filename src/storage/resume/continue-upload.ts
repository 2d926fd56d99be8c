import { filesAt } from "#platform";
import { TRANSFER_TIMEOUT_MS } from "../../base/config/limits.ts";
import { invalidSource, sourceChanged } from "../../base/errors/input.ts";
import { pickOptions, resolveOptions } from "../../base/operation.ts";
import { callSchema, resolveCall } from "../../base/options.ts";
import type { Entry } from "../../journal/entries.ts";
import type { JournalLike } from "../../journal/handle.ts";
import { refuseOtherOwner } from "../../journal/operations.ts";
import { applyLaterCalls } from "../../keys/nodes/call-entry.ts";
import type { FileFacts, SourceFile } from "../../platform/types.ts";
import { isKnown } from "../files/info.ts";
import { createManifest, uploadManifest } from "../folders/upload-folder.ts";
import { loadOnDemand } from "../load-on-demand.ts";
import { encryptFiles, shareDerivedKey } from "../upload/encrypt-files.ts";
import { restoreAttempt, restoreExpected } from "../upload/encrypted-cids.ts";
import { toEncryptedName, toFolderPath } from "../upload/file-names.ts";
import { finishUpload, getVouchedCid } from "../upload/finish-upload.ts";
import { createUploadEntry, type UploadState } from "../upload/journal-entry.ts";
import { resolveRoute } from "../upload/send.ts";
import { sendEncrypted } from "../upload/send-encrypted.ts";
import { listSourceFiles, type Source, withSourceCleanup } from "../upload/source.ts";
import { requirePayer } from "../upload/upload-access.ts";
import { prepareAttempt, type ResolvedUpload, uploadEncryptedSchema } from "../upload/upload-encrypted.ts";
import {
  type Attempt,
  type FileState,
  getLastModified,
  selectFiles,
  type UploadEntry,
} from "../upload/upload-entry.ts";
import type { UploadedFile, UploadedFiles } from "../upload/upload-response.ts";
import { mergeStoredOptions, type ResumingOptions } from "./journal.ts";

/**
 * Finishes an encrypted upload: finds out which of its files are stored, sends the others again, and saves the keys of
 * all. A file that is sent again is encrypted with a new salt and iv: otherwise, had its source changed unnoticed, both
 * plaintexts would leak. Its master key and its shards stay valid.
 */
export async function continueUpload(
  journal: JournalLike,
  entry: Entry<UploadState>,
  options: ResumingOptions,
): Promise<UploadedFiles> {
  const { source, cids, dynamicData: _, ...changed } = options;
  const { owner, options: entryOptions } = entry.state;
  return withSourceCleanup(source ?? [], async (own) => {
    const merged = { ...mergeStoredOptions(entryOptions, changed), ...mergeAccess(entryOptions, changed) };
    const resolved = resolveOptions(uploadEncryptedSchema, merged);
    const attempt = await prepareAttempt(resolved, cids);
    refuseOtherOwner(owner, attempt.auth.address);
    await applyLaterCalls(journal, entry);
    const { folder, oneKey, files } = entry.state;
    const all = createUploadEntry(entry, journal);
    // The manifest of a folder has no source.
    const uploadEntry = folder === undefined ? all : selectFiles(all, [...files.slice(0, -1).keys()]);
    const located: (UploadedFile | undefined)[] = [];
    const { order } = entry.state;
    for (const file of uploadEntry.files()) located.push(await locateFile(file, cids, resolved, order));
    const missing = located.flatMap((found, index) => (found ? [] : [index]));
    if (missing.length > 0) {
      const again = await resend(selectFiles(uploadEntry, missing), entry.state, source && own, resolved, attempt);
      for (const [at, index] of missing.entries()) located[index] = again[at];
    }
    const found = located.flatMap((file) => file ?? []);
    const stored = await finishUpload(uploadEntry, found, attempt);
    if (folder === undefined) return stored;
    const upload = { name: folder, owner, oneKey, entry: all, createdAt: entry.startedAt };
    return [...(await continueManifest(upload, stored, resolved, attempt)), ...stored];
  });
}

/** An upload that was to be paid for stays one, unless it is resumed with an API key or an endpoint alone. */
function mergeAccess({ payPerUpload: stored }: UploadState["options"], { apiKey, via, payPerUpload }: ResumingOptions) {
  if (stored === undefined || (payPerUpload === undefined && (apiKey ?? via) !== undefined)) {
    return { payPerUpload: undefined };
  }
  // That it is still the same order is checked before anything is signed.
  return { apiKey: undefined, via: undefined, payPerUpload: payPerUpload?.withStored(stored) };
}

async function resend(
  entry: UploadEntry,
  { folder, oneKey, order }: UploadState,
  source: Source | undefined,
  options: ResolvedUpload,
  attempt: Attempt,
): Promise<UploadedFile[]> {
  const route = await resolveRoute(options, true);
  const keys = entry.files();
  const files = await relistSources(keys, source, options.signal);
  const [first] = keys;
  // If they have one master key, it is derived once; the salt is a new one.
  const encrypted = encryptFiles(files, keys, oneKey && first && shareDerivedKey(first.masterKey));
  // Nothing is sent for an owner who cannot sign in.
  await attempt.auth.token();
  const wrapWithDirectory = folder === undefined ? options.wrapWithDirectory : false;
  const sent = await sendEncrypted({ files, encrypted, route, wrapWithDirectory, entry, order }, attempt);
  return sent.locate(options.signal);
}

/** Finishes the manifest of an interrupted folder: saves its key if it is stored, and uploads it otherwise. */
async function continueManifest(
  folder: Parameters<typeof createManifest>[0],
  stored: readonly UploadedFile[],
  options: ResolvedUpload,
  attempt: Attempt,
): Promise<UploadedFiles> {
  const { entry } = folder;
  const { cids = {} } = attempt;
  const entryOfManifest = selectFiles(entry, [entry.files().length - 1]);
  const [file] = entryOfManifest.files();
  // Where the caller says that a file is stored elsewhere, a manifest that was sent before is out of date.
  const isUpToDate = Object.keys(cids).every((other) => other === file?.name);
  const found = file && isUpToDate ? await locateFile(file, cids, options) : undefined;
  if (found) return finishUpload(entryOfManifest, [found], { ...attempt, cids: undefined });
  return uploadManifest(await createManifest(folder, stored), entry, options);
}

/**
 * Lists the sources of files that have to be sent again: those of `source`, or else the files on the disk that they were
 * read from.
 *
 * @throws `INVALID_SOURCE` if a source has to be passed, or has not all of the files; `SOURCE_CHANGED`,
 * `SOURCE_UNREADABLE`
 */
async function relistSources(
  files: readonly FileState[],
  source: Source | undefined,
  signal: AbortSignal | undefined,
): Promise<SourceFile[]> {
  if (source !== undefined) return matchSource(files, source, signal);
  const found: SourceFile[] = [];
  for (const file of files) found.push(await relistFile(file, signal));
  return found;
}

async function matchSource(files: readonly FileState[], source: Source, signal: AbortSignal | undefined) {
  const isFolder = files.some(({ path }) => path !== undefined);
  const isSingle = !isFolder && files.length === 1 && !Array.isArray(source) && typeof source !== "string";
  const listed = await listSourceFiles(source, { name: isSingle ? files[0]?.name : undefined, signal });
  const isHidden = !isFolder && files.some(({ sentAs }) => sentAs !== undefined);
  const toName = isFolder ? toFolderPath : isHidden ? ({ name }: SourceFile) => name : toEncryptedName;
  const byName = new Map(listed.map((file) => [toName(file), file]));
  return files.map(({ name: storedName, path, size, lastModified }) => {
    const name = path ?? storedName;
    const file = byName.get(name);
    if (!file) throw invalidSource(`${name} is not in it`, { name });
    const isKept = isSameIfKnown(size, file.size) && isSameIfKnown(lastModified, getLastModified(file));
    if (!isKept) throw sourceChanged(name, size ?? 0, file.size ?? 0);
    const { folder: _, ...again } = file;
    return isFolder ? { ...again, name: storedName } : file;
  });
}

function isSameIfKnown(then: number | undefined, now: number | undefined): boolean {
  return then === undefined || now === undefined || then === now;
}

async function relistFile({ name, facts }: FileState, signal: AbortSignal | undefined): Promise<SourceFile> {
  if (!facts) throw invalidSource(`${name} was not read from a disk; pass it again as the option source`, { name });
  const [file] = await filesAt(facts.path, signal);
  if (!file?.facts || !isSame(file.facts, facts)) throw sourceChanged(name, facts.size, file?.size ?? 0);
  const { folder: _, ...again } = file;
  return { ...again, name };
}

/** Whether a file is as it was, even if its modification time was set back. */
function isSame(now: FileFacts, then: FileFacts): boolean {
  return (Object.keys(then) as (keyof FileFacts)[]).every((fact) => now[fact] === then[fact]);
}

/**
 * Finds out where a file of an interrupted upload is stored; `undefined` if it is not. A content id that the upload node
 * reported and that was not computed is the last to be considered, and only if its bytes are those of the file.
 *
 * @throws `INVALID_OPTION` for what was to be paid for, without who pays, an API key or an endpoint
 */
export async function locateFile(
  file: FileState,
  cids: ResumingOptions["cids"],
  options: ResolvedUpload,
  order?: object,
): Promise<UploadedFile | undefined> {
  const { name, stored, attempts, nodesDone } = file;
  const vouched = getVouchedCid(cids, name);
  if (vouched !== undefined) return { Name: name, Hash: vouched };
  // A node has a shard only under a content id that was confirmed.
  if (stored && (nodesDone.length > 0 || isComputed(file, stored.Hash))) return stored;
  // A service may store what it is not paid for, and forget it.
  if (order && (options.apiKey ?? options.via) === undefined) {
    const sent = attempts.flatMap((attempt) => attempt.cids);
    return requirePayer(options.payPerUpload).find({ name, order, cids: sent }, resolveCall(options));
  }
  const call = pickOptions(options, callSchema);
  for (const { cids: expected, size } of attempts) {
    for (const cid of expected) {
      // Nobody else can compute it: its salt is random.
      if (await isKnown(cid, call)) return { Name: name, Hash: cid, Size: String(size) };
    }
  }
  const [latest] = attempts;
  if (!stored || !latest || !(await isKnown(stored.Hash, call))) return undefined;
  const { isStoredAs } = await loadOnDemand();
  const transfer = resolveCall(options, TRANSFER_TIMEOUT_MS);
  const isSame = await isStoredAs(stored.Hash, restoreExpected(latest), options.cidVersion, transfer);
  return isSame ? stored : undefined;
}

/** Whether a content id, in any version and base, is one of those that were computed for a file. */
export function isComputed(file: Pick<FileState, "attempts">, cid: string): boolean {
  return restoreAttempt(file, cid)?.has(cid) === true;
}
