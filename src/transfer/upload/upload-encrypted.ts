import { notAJwt } from "../../errors/input.ts";
import type { SourceFile } from "../../platform/types.ts";
import { checkOptions, fromNames } from "../../validation/check-options.ts";
import { encryptFiles, toEncryptedName } from "./encrypt-files.ts";
import { type UploadEncryptedOptions, uploadEncryptedNames } from "./encrypted-upload-options.ts";
import { prepareEncrypted, sendAndFinish } from "./send-and-finish.ts";
import { generateKeys } from "./send-encrypted.ts";
import { listSourceFiles, type Source, withSourceCleanup } from "./source.ts";
import { encodeUtf8, type Headers, refuseDuplicates } from "./upload.ts";
import { recordUpload } from "./upload-record.ts";
import type { UploadedFiles } from "./upload-response.ts";

export const uploadEncryptedOperation = { options: fromNames(uploadEncryptedNames) };

/**
 * Encrypts files on this machine, uploads them, and saves each file's key as five shards on the five key
 * nodes, any three of which recover it. Every file has a key of its own. Memory use does not depend on the size. A
 * folder becomes a list of files, with `-` for `/` in their paths. The upload is sent as plain text
 * (`Mime-Type: text/plain`) if all of its files are, by their type or, without one, by names that end in `.txt`.
 *
 * Resolves to one item per file, in the order of the source.
 *
 * @throws before anything is sent: `MISSING_API_KEY`, `MISSING_OWNER`, `NOT_A_JWT`, `DUPLICATE_NAME`,
 * `FILE_TOO_LARGE`, `INVALID_SOURCE`, `INVALID_OPTION`, `INVALID_ADDRESS`, `INVALID_SIGNATURE`; while
 * uploading what {@link upload} throws; an {@link UnfinishedUpload} 'Error encrypting file'
 * (`SHARDS_NOT_SAVED`) if the files are uploaded and a key node fails. It holds the keys, and its
 * `resume()` continues at that node; with `saveOn: "enough"` only if fewer than `threshold` nodes have the shard of some
 * file. The content ids are computed while the files are sent, as upload nodes split files
 * by default. For another content id keys are saved only if no key exists under it and reading it back yields the
 * encrypted bytes. Otherwise (with `verifyCid` always) no key is saved at all: `CID_MISMATCH`, an
 * {@link UnfinishedUpload} too, whose `resume()` checks again and whose `resume({ cids })` saves the keys under those
 * content ids, unless another key exists under one of them.
 *
 * @example
 * const [file] = await uploadEncrypted("./secret.pdf", { apiKey, signer });
 */
export async function uploadEncrypted(source: Source, options: UploadEncryptedOptions): Promise<UploadedFiles> {
  return uploadEncryptedWithHeaders(source, options, {});
}

/** The same, with further headers. */
export function uploadEncryptedWithHeaders(
  source: Source,
  options: UploadEncryptedOptions,
  headers: Headers,
): Promise<UploadedFiles> {
  return withSourceCleanup(source, (own) => encryptAndUpload(own, options, headers));
}

export const uploadTextEncryptedOperation = { options: fromNames(uploadEncryptedNames) };

/**
 * Encrypts and uploads a string as a file. See {@link uploadEncrypted}.
 *
 * @param options - `name` defaults to `text.txt`
 */
export async function uploadTextEncrypted(text: string, options: UploadEncryptedOptions): Promise<UploadedFiles> {
  options = checkOptions(options, uploadEncryptedNames);
  const named = { ...options, name: options.name ?? "text.txt" };
  return encryptAndUpload(new Blob([encodeUtf8(text)], { type: "text/plain" }), named, {});
}

async function encryptAndUpload(
  source: Source,
  options: UploadEncryptedOptions,
  headers: Headers,
): Promise<UploadedFiles> {
  options = checkOptions(options, uploadEncryptedNames);
  const prepared = await prepareEncrypted(options, headers);
  const files = await listFilesToEncrypt(source, options);
  const keys = await generateKeys(files.length, options);
  const encrypted = encryptFiles(files, keys);
  // Nothing is sent for an owner who cannot sign in.
  const { auth } = prepared.saving;
  await auth.token();
  const { wrapWithDirectory } = options;
  return recordUpload({ owner: auth.address, files, keys, options }, (record) =>
    sendAndFinish({ files, encrypted, keys, wrapWithDirectory, record }, prepared),
  );
}

/** Lists the files of a source that can be encrypted and sent under different names. */
async function listFilesToEncrypt(source: Source, options: UploadEncryptedOptions): Promise<SourceFile[]> {
  const { name, signal, authToken } = options;
  const files = await listSourceFiles(source, { name, signal });
  // A signature is valid for one file only.
  if (files.length > 1 && authToken?.startsWith("0x")) throw notAJwt();
  refuseDuplicates(files.map((file) => ({ ...file, name: toEncryptedName(file) })));
  return files;
}
