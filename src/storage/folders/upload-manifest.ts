import { computeCommitment } from "../../formats/crypto/commitment.ts";
import { plaintextSize } from "../../formats/crypto/file-format.ts";
import { encodeManifest, type FolderFile, type FolderManifest } from "../../formats/folder-file/manifest.ts";
import { createProver } from "../../formats/folder-file/prove-author.ts";
import type { SourceFile } from "../../platform/types.ts";
import { encryptFiles, type FileKey } from "../upload/encrypt-files.ts";
import { findChunkProfile } from "../upload/encrypted-cids.ts";
import { sendAndFinish } from "../upload/finish-upload.ts";
import { resolveRoute } from "../upload/send.ts";
import { prepareAttempt, type ResolvedUpload } from "../upload/upload-encrypted.ts";
import { type AttemptCids, selectFiles, type UploadEntry } from "../upload/upload-entry.ts";
import type { UploadedFile, UploadedFiles } from "../upload/upload-response.ts";

/** The manifest of a folder whose files are stored. */
export interface ManifestUpload {
  manifest: FolderManifest;
  /** The name that it is stored under. */
  name: string;
  key: FileKey;
  /** Of the whole folder. */
  entry: UploadEntry;
  /** Its place among the files of the entry: the last. */
  index: number;
}

/** Encrypts and uploads the manifest of a folder, as a file of its own, and saves its key. */
export async function uploadManifest(
  { manifest, name, key, entry, index }: ManifestUpload,
  options: ResolvedUpload,
): Promise<UploadedFiles> {
  const route = await resolveRoute(options);
  const attempt = await prepareAttempt(options);
  const files = [toSourceFile(name, encodeManifest(manifest))];
  const encrypted = encryptFiles(files, [key]);
  const own = selectFiles(entry, [index]);
  return sendAndFinish({ files, encrypted, keys: [key], route, wrapWithDirectory: undefined, entry: own }, attempt);
}

/** The stored files of a folder, by their indexes. */
export interface StoredFiles {
  paths: readonly string[];
  keys: readonly Pick<FileKey, "masterKey">[];
  /** Their encrypted bytes. */
  sent: readonly (AttemptCids | undefined)[];
  stored: readonly UploadedFile[];
}

/** Writes the manifest of a folder whose files are stored. */
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

/** Returns what is to be stored under this name. */
export function toSourceFile(name: string, bytes: Uint8Array): SourceFile {
  async function* open(): AsyncGenerator<Uint8Array> {
    yield bytes;
  }
  return { name, size: bytes.length, open };
}
