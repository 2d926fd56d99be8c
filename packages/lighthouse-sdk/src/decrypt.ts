import { getEndpoints, httpError, isPage, type Unchecked, withErrors } from "@keeplight/kavach/shared";
import { type DecryptOptions, decrypt, isKeeplightError } from "keeplight";

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
