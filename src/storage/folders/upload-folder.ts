import { isKeeplightError } from "../../base/errors/base.ts";
import { duplicateName, invalidOption, invalidSource, notAJwt, paidList } from "../../base/errors/input.ts";
import { shardsNotSaved } from "../../base/errors/nodes.ts";
import { isUnfinished, UnfinishedError } from "../../base/errors/unfinished.ts";
import { copyOptions } from "../../base/options.ts";
import {
  createProver,
  encodeManifest,
  type FolderFile,
  type FolderManifest,
  findSizeProblem,
} from "../../formats/folder-file/manifest.ts";
import {
  createFolderId,
  findNameProblem,
  findPathProblem,
  findTreeProblem,
  toManifestName,
  toStoredNames,
} from "../../formats/folder-file/paths.ts";
import type { SourceFile } from "../../platform/types.ts";
import { encryptFiles, type FileKey, generateKeys, shareDerivedKey } from "../upload/encrypt-files.ts";
import { toFolderPath, toNodeName } from "../upload/file-names.ts";
import { sendAndFinish } from "../upload/finish-upload.ts";
import type { UploadState } from "../upload/journal-entry.ts";
import { resolveRoute } from "../upload/send.ts";
import { listSourceFiles, type Source, toSourceFile } from "../upload/source.ts";
import {
  changeUpload,
  prepareAttempt,
  type ResolvedUpload,
  type ResumeUploadOptions,
  withUploadEntry,
} from "../upload/upload-encrypted.ts";
import { createSentName, selectFiles, toFileStates, type UploadEntry } from "../upload/upload-entry.ts";
import type { UploadedFile, UploadedFiles } from "../upload/upload-response.ts";
import { describeFile } from "./manifest-of-stored.ts";

/** An encrypted folder. */
export interface EncryptedFolder {
  /** Content id of its manifest, which stands for the folder. */
  cid: string;
  /** Of the folder. */
  name: string;
  /** Of all files, in bytes, decrypted. */
  size: number;
  /** Set if all files have one master key: who has the key of one of them can open all. */
  oneKey?: true;
  /** In the order of the source. */
  files: FolderFile[];
}

/** An encrypted folder, as its manifest describes it. */
export interface OpenedFolder extends EncryptedFolder, Pick<FolderManifest, "owner" | "createdAt"> {
  /**
   * Paths of files that Windows cannot write as they are: names of devices, colons, backslashes, and dots or spaces at the
   * end. Absent if there are none.
   */
  unportablePaths?: string[];
}

/** An upload of an encrypted folder that is partly done; see {@link UnfinishedError.resume}. */
export type UnfinishedFolder = UnfinishedError<EncryptedFolder, ResumeUploadOptions>;

/** A folder whose files are sent. */
interface FolderUpload extends Pick<UploadState, "oneKey">, Pick<FolderManifest, "name" | "owner"> {
  /** Of the files, and of the manifest after them. */
  entry: UploadEntry;
}

/** What is done of a folder once its files are, manifest aside: 1 is only reported when that is stored, too. */
const FILES_SHARE = 0.98;

/** Reports the progress of a call as that of a whole from `start` to `end`. */
function scaleProgress<Options extends Pick<ResumeUploadOptions, "onProgress">>(
  options: Options,
  start: number,
  end: number,
): Options {
  const { onProgress } = options;
  if (!onProgress) return options;
  const scale = (fraction: number) => start + fraction * (end - start);
  return { ...options, onProgress: (progress) => onProgress({ ...progress, fraction: scale(progress.fraction) }) };
}

/**
 * Finishes the files of a folder, then uploads its manifest. Any failure once files may be stored can be resumed.
 *
 * @param finishFiles - confirms where the files are stored, and saves their keys
 */
async function finishFolder(
  upload: FolderUpload,
  options: ResolvedUpload,
  finishFiles: () => Promise<UploadedFiles>,
): Promise<EncryptedFolder> {
  let stored: UploadedFiles;
  try {
    stored = await finishFiles();
  } catch (error) {
    if (!isUnfinished<UploadedFiles, ResumeUploadOptions>(error)) throw error;
    throw makeFolderResumable(error, error.details, upload, options, (changed, resumed) =>
      finishFolder(upload, resumed, () => error.resume(scaleProgress(changed, 0, FILES_SHARE))),
    );
  }
  const manifest = await createManifest({ ...upload, createdAt: Date.now() }, stored);
  return finishManifest(upload, manifest, options, (own) => uploadManifest(manifest, upload.entry, own));
}

/** Uploads the manifest, or completes an upload of it that failed. */
async function finishManifest(
  upload: FolderUpload,
  manifest: FolderManifest,
  options: ResolvedUpload,
  send: (options: ResolvedUpload) => Promise<UploadedFiles>,
): Promise<EncryptedFolder> {
  try {
    const [{ Hash: cid }] = await send(scaleProgress(options, FILES_SHARE, 1));
    return describeFolder(cid, manifest);
  } catch (error) {
    const Name = upload.entry.files().at(-1)?.name;
    const details = { ...(isKeeplightError(error) ? error.details : {}), unfinished: [{ Name }] };
    throw makeFolderResumable(error, details, upload, options, (changed, resumed) =>
      finishManifest(upload, manifest, resumed, (own) => {
        // If it is not certain where it is stored, it is stored once more.
        const isStored = isUnfinished<UploadedFiles, ResumeUploadOptions>(error) && error.details["bodySent"] !== true;
        const { onProgress } = own;
        return isStored ? error.resume({ ...changed, onProgress }) : uploadManifest(manifest, upload.entry, own);
      }),
    );
  }
}

export function describeFolder(cid: string, { name, oneKey, files }: FolderManifest): EncryptedFolder {
  return { cid, name, size: files.reduce((sum, { size }) => sum + size, 0), ...(oneKey ? { oneKey } : {}), files };
}

function makeFolderResumable(
  error: unknown,
  details: Readonly<Record<string, unknown>>,
  { entry }: FolderUpload,
  options: ResolvedUpload,
  resume: (changed: ResumeUploadOptions, resumed: ResolvedUpload) => Promise<EncryptedFolder>,
): UnfinishedFolder {
  const { code, message } = isKeeplightError(error) ? error : shardsNotSaved(error);
  return new UnfinishedError<EncryptedFolder, ResumeUploadOptions>(code, message, {
    details,
    cause: error,
    resume: async (given) => {
      const changed = copyOptions(given);
      const resumed = changeUpload(options, changed);
      return entry.resume(() => resume(changed, resumed));
    },
  });
}

/** Encrypts and uploads the manifest of a folder whose files are stored, and saves its key. */
export async function uploadManifest(
  manifest: FolderManifest,
  folder: UploadEntry,
  options: ResolvedUpload,
): Promise<UploadedFiles> {
  const route = await resolveRoute(options, true);
  const attempt = await prepareAttempt(options);
  const entry = selectFiles(folder, [manifest.files.length]);
  const keys = entry.files();
  const files = [toSourceFile(encodeManifest(manifest), keys[0]?.name)];
  const encrypted = encryptFiles(files, keys);
  return sendAndFinish({ files, encrypted, route, wrapWithDirectory: undefined, entry }, attempt);
}

/** Describes a folder, whose files are stored. */
export async function createManifest(
  { name, owner, createdAt, oneKey, entry }: FolderUpload & Pick<FolderManifest, "createdAt">,
  stored: readonly UploadedFile[],
): Promise<FolderManifest> {
  const folder = { name, owner, createdAt, ...(oneKey ? { oneKey } : {}) };
  const sources = entry.files().slice(0, -1);
  const files: FolderFile[] = [];
  for (const [at, source] of sources.entries()) {
    const { path = "" } = source;
    const described = await describeFile(source, stored[at]?.Hash);
    // Files are stored, with their keys and sizes, before a manifest lists them.
    if (!path || !described) throw new Error(`${path} is not stored`);
    files.push({ path, ...described });
  }
  const prove = await createProver({ ...folder, files });
  const proofs: string[] = [];
  for (const [at, { cid }] of files.entries()) proofs.push(await prove(cid, sources[at]?.masterKey ?? ""));
  return { ...folder, files, proofs };
}

export async function uploadFolder(
  source: Source,
  options: ResolvedUpload,
  oneKeyForFolder: boolean,
): Promise<EncryptedFolder> {
  const oneKey = oneKeyForFolder || undefined;
  const route = await resolveRoute(options, true);
  if (route.payment) throw paidList();
  const attempt = await prepareAttempt(scaleProgress(options, 0, FILES_SHARE));
  const { name, paths, files: found } = await listSourceFolder(source, options);
  // A signature is valid for one file only.
  if (options.authToken?.startsWith("0x")) throw notAJwt();
  const id = createFolderId();
  const stored = toStoredNames(paths, id, toNodeName);
  const files = found.map(({ folder: _, ...file }, at): SourceFile => ({ ...file, name: stored[at] ?? "" }));
  const [manifestKey, firstKey, ...otherKeys] = (await generateKeys(oneKey ? 2 : 1 + files.length, options)) as [
    FileKey,
    FileKey,
    ...FileKey[],
  ];
  const keys = oneKey ? files.map(() => firstKey) : [firstKey, ...otherKeys];
  const states = toFileStates(files, keys, options.names).map((file, at) => ({ ...file, path: paths[at] }));
  const encrypted = encryptFiles(files, states, oneKey && shareDerivedKey(firstKey.masterKey));
  // Nothing is sent for an owner who cannot sign in.
  await attempt.auth.token();
  const owner = attempt.auth.address;
  const sentAs = createSentName(options.names);
  const manifest = { name: toManifestName(name, id), sentAs, ...manifestKey, attempts: [], nodesDone: [] };
  return withUploadEntry({ owner, files: [...states, manifest], folder: name, oneKey }, options, (entry) => {
    const ofFiles = selectFiles(entry, [...files.keys()]);
    const request = { files, encrypted, route, wrapWithDirectory: false, entry: ofFiles };
    return finishFolder({ name, owner, oneKey, entry }, options, () => sendAndFinish(request, attempt));
  });
}

/**
 * Lists the files of a folder, with their paths in it.
 *
 * @param name - of the folder; by default that of the folder that all files are in
 * @throws `INVALID_OPTION` without a name, `DUPLICATE_NAME`, `INVALID_SOURCE` for a path that a manifest cannot have;
 * what `listSourceFiles` throws
 */
async function listSourceFolder(source: Source, { name, signal }: Pick<ResolvedUpload, "name" | "signal">) {
  const files = await listSourceFiles(source, { name: undefined, signal });
  const folder = name ?? findCommonFolder(files);
  const problem = folder === undefined ? "" : findNameProblem(folder);
  if (folder === undefined || problem !== undefined) throw invalidOption("name", "the name of the folder");
  const paths = files.map(toFolderPath);
  for (const path of paths) {
    const pathProblem = findPathProblem(path);
    if (pathProblem !== undefined) throw invalidSource(pathProblem, { name: path });
  }
  const { problem: treeProblem, duplicate } = findTreeProblem(paths) ?? {};
  if (duplicate !== undefined) throw duplicateName(duplicate, duplicate);
  const limit = treeProblem ?? findSizeProblem(paths);
  if (limit !== undefined) throw invalidSource(limit);
  return { name: folder, paths, files };
}

function findCommonFolder(files: readonly SourceFile[]): string | undefined {
  const [first] = files;
  return files.every(({ folder }) => folder === first?.folder) ? first?.folder : undefined;
}
