import { decrypt } from "../../index.ts";
import { httpError, withErrors } from "../errors.ts";
import { getEndpoints, isPage } from "../settings.ts";
import type { Unchecked } from "../unchecked.ts";

/** Downloads and decrypts a file: in Node to an `ArrayBuffer`, in a page to a `Blob` of this type. */
export async function decryptFile(
  cid: Unchecked,
  fileEncryptionKey: string,
  mimeType?: string,
  gatewayUrl?: string,
): Promise<Unchecked> {
  const { gateway } = getEndpoints();
  const endpoints = { gateway: gatewayUrl ? gatewayUrl.replace(/\/+$/, "") : gateway };
  const bytes = await withErrors(httpError, () => decrypt(cid, { key: fileEncryptionKey, endpoints }));
  if (isPage()) return new Blob([bytes], mimeType ? { type: mimeType } : {});
  return bytes.byteLength === bytes.buffer.byteLength ? bytes.buffer : bytes.slice().buffer;
}
