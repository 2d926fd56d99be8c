import { encodeManifest, type FolderFile, type FolderManifest } from "../../folder-file/manifest.ts";
import type { SourceFile } from "../../platform/types.ts";
import type { UploadEncryptedOptions } from "./encrypted-upload-options.ts";
import type { SentUpload } from "./send-encrypted.ts";
import type { FileKey, UploadRecord } from "./upload-record.ts";
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
  const { call, route, cidVersion } = await steps.prepareUpload(options);
  const saving = await steps.prepareSaving(options);
  const files = [toSourceFile(name, encodeManifest(manifest))];
  const request = { files, encrypted: steps.encryptFiles(files, [key]), keys: [key], route, cidVersion };
  const own = recordOne(record, index);
  const { progress } = saving;
  const { sent, ...outcome } = await steps.sendEncrypted(
    { ...request, wrapWithDirectory: undefined, progress, record: own },
    call,
  );
  if ("error" in outcome) {
    const { error } = outcome;
    throw steps.mayBeStored(error) ? steps.makeResumable(error, sent, undefined, options) : error;
  }
  const { stored } = outcome;
  return steps.finishUpload({ sent, stored, reported: stored }, options, saving);
}

/** Describes the files of a folder that were sent, for its manifest. */
export async function listFolderFiles(
  paths: readonly string[],
  { sent, stored }: { sent: Pick<SentUpload, "keys" | "expected">; stored: readonly UploadedFile[] },
  steps: Pick<UploadSteps, "computeCommitment" | "plaintextSize">,
): Promise<FolderFile[]> {
  const files: FolderFile[] = [];
  for (const [at, path] of paths.entries()) {
    const cid = stored[at]?.Hash;
    const masterKey = sent.keys[at]?.masterKey;
    const size = sent.expected(at)?.size;
    // Files are stored, with their keys and sizes, before a manifest lists them.
    if (cid === undefined || masterKey === undefined || size === undefined) throw new Error(`${path} is not stored`);
    files.push({
      path,
      cid,
      size: steps.plaintextSize(size),
      commitment: await steps.computeCommitment(cid, masterKey),
    });
  }
  return files;
}

/** Returns what is to be stored under this name. */
export function toSourceFile(name: string, bytes: Uint8Array): SourceFile {
  async function* open(): AsyncGenerator<Uint8Array> {
    yield bytes;
  }
  return { name, size: bytes.length, open };
}

/** The record of one file of an upload, which is sent by itself. */
export function recordOne(record: UploadRecord, index: number): UploadRecord {
  const place = <Value>(values: readonly Value[]): Value[] => {
    const all: Value[] = new Array(index);
    const [value] = values;
    if (value !== undefined) all[index] = value;
    return all;
  };
  return {
    expect: (files) => record.expect(place(files)),
    locate: (stored) => record.locate(place(stored)),
    save: (_, node) => record.save(index, node),
    saved: () => record.saved(index),
    shareTo: () => record.shareTo(index),
    resume: (work) => work(),
  };
}
