import { isKeeplightError } from "../../base/errors/base.ts";
import { shardsNotSaved } from "../../base/errors/nodes.ts";
import { isUnfinished, UnfinishedError } from "../../base/errors/unfinished.ts";
import { copyOptions } from "../../base/options.ts";
import { computeCommitment } from "../../formats/crypto/commitment.ts";
import { plaintextSize } from "../../formats/crypto/file-format.ts";
import {
  createProver,
  encodeManifest,
  type FolderFile,
  type FolderManifest,
} from "../../formats/folder-file/manifest.ts";
import { encryptFiles, type FileKey } from "../upload/encrypt-files.ts";
import { findChunkProfile } from "../upload/encrypted-cids.ts";
import { sendAndFinish } from "../upload/finish-upload.ts";
import { resolveRoute } from "../upload/send.ts";
import { toSourceFile } from "../upload/source.ts";
import {
  changeUpload,
  prepareAttempt,
  type ResolvedUpload,
  type ResumeUploadOptions,
} from "../upload/upload-encrypted.ts";
import type { AttemptCids, UploadEntry } from "../upload/upload-entry.ts";
import type { UploadedFile, UploadedFiles } from "../upload/upload-response.ts";

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
export interface FolderUpload extends Omit<StoredFiles, "stored"> {
  name: string;
  /** Address. */
  owner: string;
  /** Set if all files have one master key. */
  oneKey: true | undefined;
  /** Of the files, and of the manifest after them. */
  entry: UploadEntry;
  manifest: ManifestFile;
}

/** A manifest as a file of its own. */
export interface ManifestFile {
  /** The name that it is stored under. */
  name: string;
  key: FileKey;
  /** Its part of the folder's entry. */
  entry: UploadEntry;
}

/** What is done of a folder once its files are, manifest aside. */
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

/** Scales the progress of a folder's files, so that 1 is only reported when its manifest is stored. */
export function limitProgress<Options extends Pick<ResumeUploadOptions, "onProgress">>(options: Options): Options {
  return scaleProgress(options, 0, FILES_SHARE);
}

/**
 * Finishes the files of a folder, then uploads its manifest. Any failure once files may be stored can be resumed.
 *
 * @param finishFiles - confirms where the files are stored, and saves their keys
 */
export async function finishFolder(
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
      finishFolder(upload, resumed, () => error.resume(limitProgress(changed))),
    );
  }
  const { name, owner, oneKey } = upload;
  const manifest = await createManifest({ name, owner, createdAt: Date.now(), oneKey }, { ...upload, stored });
  return finishManifest(upload, manifest, options, (own) => uploadManifest(manifest, upload.manifest, own));
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
    const details = { ...(isKeeplightError(error) ? error.details : {}), unfinished: [{ Name: upload.manifest.name }] };
    throw makeFolderResumable(error, details, upload, options, (changed, resumed) =>
      finishManifest(upload, manifest, resumed, (own) => {
        // If it is not certain where it is stored, it is stored once more.
        const isStored = isUnfinished<UploadedFiles, ResumeUploadOptions>(error) && error.details["bodySent"] !== true;
        const { onProgress } = own;
        return isStored ? error.resume({ ...changed, onProgress }) : uploadManifest(manifest, upload.manifest, own);
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
  { name, key, entry }: ManifestFile,
  options: ResolvedUpload,
): Promise<UploadedFiles> {
  const route = await resolveRoute(options);
  const attempt = await prepareAttempt(options);
  const files = [toSourceFile(encodeManifest(manifest), name)];
  const encrypted = encryptFiles(files, [key]);
  return sendAndFinish({ files, encrypted, keys: [key], route, wrapWithDirectory: undefined, entry }, attempt);
}

/** The stored files of a folder, by their indexes. */
export interface StoredFiles {
  paths: readonly string[];
  keys: readonly Pick<FileKey, "masterKey">[];
  /** Their encrypted bytes. */
  sent: readonly (AttemptCids | undefined)[];
  stored: readonly UploadedFile[];
}

export async function createManifest(
  { oneKey, ...described }: Pick<FolderManifest, "name" | "owner" | "createdAt"> & { oneKey: true | undefined },
  { paths, keys, sent, stored }: StoredFiles,
): Promise<FolderManifest> {
  const folder = { ...described, ...(oneKey ? { oneKey } : {}) };
  const files: FolderFile[] = [];
  for (const [at, path] of paths.entries()) {
    const cid = stored[at]?.Hash;
    const masterKey = keys[at]?.masterKey;
    const { cids, size } = sent[at] ?? {};
    // Files are stored, with their keys and sizes, before a manifest lists them.
    if (!cid || !masterKey || !cids || size === undefined) throw new Error(`${path} is not stored`);
    const commitment = await computeCommitment(cid, masterKey);
    const chunkProfile = findChunkProfile(cids, cid);
    files.push({ path, cid, size: plaintextSize(size), commitment, ...(chunkProfile ? { chunkProfile } : {}) });
  }
  const prove = await createProver({ ...folder, files });
  const proofs: string[] = [];
  for (const [at, { cid }] of files.entries()) proofs.push(await prove(cid, keys[at]?.masterKey ?? ""));
  return { ...folder, files, proofs };
}
