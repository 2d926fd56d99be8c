import { encodeManifest, type FolderFile, type FolderManifest } from "../../folder-file/manifest.ts";
import { createProver } from "../../folder-file/prove-author.ts";
import type { SourceFile } from "../../platform/types.ts";
import type { UploadEncryptedOptions } from "./encrypted-upload-options.ts";
import { recordSome } from "./record-some.ts";
import type { FileKey, RecordedCids, UploadRecord } from "./upload-record.ts";
import type { UploadedFile, UploadedFiles } from "./upload-response.ts";
import type { UploadSteps } from "./upload-steps.ts";

/** The manifest of a folder whose files are stored. */
export interface ManifestUpload {
  manifest: FolderManifest;
  /** The name that it is stored under. */
  name: string;
  key: FileKey;
  /** Of the whole folder. */
  record: UploadRecord;
  /** Its place among the files of the record: the last. */
  index: number;
}

/** Encrypts and uploads the manifest of a folder, as a file of its own, and saves its key. */
export async function uploadManifest(
  { manifest, name, key, record, index }: ManifestUpload,
  options: UploadEncryptedOptions,
  steps: UploadSteps,
): Promise<UploadedFiles> {
  const prepared = await steps.prepareEncrypted(options);
  const files = [toSourceFile(name, encodeManifest(manifest))];
  const encrypted = steps.encryptFiles(files, [key]);
  const request = { files, encrypted, keys: [key], wrapWithDirectory: undefined, record: recordSome(record, [index]) };
  return steps.sendAndFinish(request, prepared);
}

/** The stored files of a folder, by their indexes. */
export interface StoredFiles {
  paths: readonly string[];
  keys: readonly Pick<FileKey, "masterKey">[];
  /** Their encrypted bytes. */
  sent: readonly (RecordedCids | undefined)[];
  stored: readonly UploadedFile[];
}

/** Writes the manifest of a folder whose files are stored. */
export async function createManifest(
  { oneKey, ...described }: Pick<FolderManifest, "name" | "owner" | "createdAt"> & { oneKey: true | undefined },
  { paths, keys, sent, stored }: StoredFiles,
  steps: Pick<UploadSteps, "computeCommitment" | "findChunkProfile" | "plaintextSize">,
): Promise<FolderManifest> {
  const folder = { ...described, ...(oneKey ? { oneKey } : {}) };
  const files: FolderFile[] = [];
  for (const [at, path] of paths.entries()) {
    const cid = stored[at]?.Hash;
    const masterKey = keys[at]?.masterKey;
    const { cids, size } = sent[at] ?? {};
    // Files are stored, with their keys and sizes, before a manifest lists them.
    if (!cid || !masterKey || !cids || size === undefined) throw new Error(`${path} is not stored`);
    const commitment = await steps.computeCommitment(cid, masterKey);
    const chunkProfile = steps.findChunkProfile(cids, cid);
    files.push({ path, cid, size: steps.plaintextSize(size), commitment, ...(chunkProfile ? { chunkProfile } : {}) });
  }
  const prove = await createProver({ ...folder, files });
  const proofs: string[] = [];
  for (const [at, { cid }] of files.entries()) proofs.push(await prove(cid, keys[at]?.masterKey ?? ""));
  return { ...folder, files, proofs };
}

/** Returns what is to be stored under this name. */
export function toSourceFile(name: string, bytes: Uint8Array): SourceFile {
  async function* open(): AsyncGenerator<Uint8Array> {
    yield bytes;
  }
  return { name, size: bytes.length, open };
}
