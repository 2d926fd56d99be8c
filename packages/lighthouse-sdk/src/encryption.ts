import {
  type ErrorForm,
  getEndpoints,
  getKeyNodeOptions,
  httpError,
  isPage,
  orFileError,
  prefixedServerMessage,
  type Unchecked,
  withErrors,
} from "@keeplight/kavach/shared";
import {
  type DecryptOptions,
  decrypt,
  isKeeplightError,
  type KeeplightError,
  type Source,
  uploadEncrypted as uploadKit,
} from "keeplight";
import { invalidSource } from "keeplight/parts";
import type { IFileUploadedResponse, UploadFilesOptions, UploadOptions } from "./types.ts";
import { type ProgressCallback, toKitOptions, toSource, toStored, toUploadOptions } from "./upload.ts";

/**
 * Encrypts and uploads a file or the files of a folder: in Node by its path, in a page as a list of files. Throws in a
 * page too, where other versions of this call return the message instead.
 */
export async function uploadEncrypted(
  path: Unchecked,
  apiKey: string,
  publicKey: string,
  signedMessage: string,
  cidVersionOrOptions: number | UploadFilesOptions = 1,
  uploadProgressCallback?: ProgressCallback,
): Promise<{ data: IFileUploadedResponse[] }> {
  const options = toUploadOptions(cidVersionOrOptions, uploadProgressCallback);
  const stored = await withErrors(orFileError(encryptedForm), () =>
    uploadKit(toSource(path) as Source, {
      ...getKeyNodeOptions(),
      ...toKitOptions(apiKey, options),
      address: publicKey,
      authToken: signedMessage,
      wrapWithDirectory: false,
    }),
  );
  return { data: stored.map(toStored) };
}

/** Encrypts and uploads a string as a file. */
export async function textUploadEncrypted(
  text: string,
  apiKey: string,
  publicKey: string,
  signedMessage: string,
  name = "text",
  options?: UploadOptions,
): Promise<Unchecked> {
  const owner = { ...getKeyNodeOptions(), address: publicKey, authToken: signedMessage };
  const stored = await withErrors(httpError, async () => {
    // A blob would convert it to another string.
    if (typeof text !== "string") throw invalidSource("expected a string");
    const { onProgress: _, ...kitOptions } = toKitOptions(apiKey, toUploadOptions(options));
    const file = new Blob([text], { type: "text/plain" });
    return uploadKit(file, { ...owner, ...kitOptions, name: name || "text" });
  });
  return { data: stored.map(toStored) };
}

/** Uploads of several files put their refusal of a signature in quotation marks. */
const encryptedForm: ErrorForm = (error: KeeplightError) =>
  isKeeplightError(error, "NOT_A_JWT")
    ? new Error(JSON.stringify(error.message), { cause: error })
    : prefixedServerMessage(error);

/** Downloads and decrypts a file: in Node to an `ArrayBuffer`, in a page to a `Blob` of this type. */
export async function decryptFile(
  cid: Unchecked,
  fileEncryptionKey: string,
  mimeType?: string,
  gatewayUrl?: string,
): Promise<Unchecked> {
  const { gateway } = getEndpoints();
  const endpoints = { gateway: gatewayUrl ? gatewayUrl.replace(/\/+$/, "") : gateway };
  const bytes = await withErrors(httpError, () => decryptUnlessDisproved(cid, { key: fileEncryptionKey, endpoints }));
  if (isPage()) return new Blob([bytes], mimeType ? { type: mimeType } : {});
  return bytes.byteLength === bytes.buffer.byteLength ? bytes.buffer : bytes.slice().buffer;
}

/** The incumbent verifies nothing: what cannot be verified is accepted, and downloaded once more for that. */
async function decryptUnlessDisproved(cid: Unchecked, options: DecryptOptions): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return await decrypt(cid, options);
  } catch (error) {
    if (!isKeeplightError(error, "NOT_VERIFIED")) throw error;
    return decrypt(cid, { ...options, verifyCid: false });
  }
}
