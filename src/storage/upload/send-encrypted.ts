import { isKeeplightError, type KeeplightError } from "../../base/errors/base.ts";
import type { ErrorCode } from "../../base/errors/codes.ts";
import type { ResolvedCall } from "../../base/options.ts";
import type { CidVersion } from "../../formats/cid/content-id.ts";
import type { SourceFile } from "../../platform/types.ts";
import type { ProgressReporter } from "../progress.ts";
import { type FileKey, isPlainText } from "./encrypt-files.ts";
import { createHashedUpload, type ExpectedCids } from "./encrypted-cids.ts";
import { getOnlyName } from "./file-names.ts";
import { matchResponse } from "./match-response.ts";
import { send } from "./send.ts";
import type { Route } from "./upload-access.ts";
import type { UploadEntry } from "./upload-entry.ts";
import { readUploadResponse, type UploadedFile } from "./upload-response.ts";

/** One request with encrypted files, once all options are checked. */
export interface EncryptedRequest {
  files: readonly SourceFile[];
  /** The same files, as `encryptFiles` returns them. */
  encrypted: readonly SourceFile[];
  /** Of the file at each index. */
  keys: readonly FileKey[];
  route: Route;
  cidVersion: CidVersion;
  wrapWithDirectory: boolean | undefined;
  progress: ProgressReporter;
  entry: UploadEntry;
}

/** What was sent, as far as saving the keys requires it. */
export interface SentUpload {
  names: readonly string[];
  /** Of each file. */
  keys: readonly FileKey[];
  expected(index: number): ExpectedCids | undefined;
  entry: UploadEntry;
}

/** The outcome of a request: the content ids that the upload node reports, or why they are unknown. */
export type SendOutcome = { sent: SentUpload } & ({ stored: UploadedFile[] } | { error: unknown });

/** Encrypts and sends files; returns a failure instead of throwing it, as the files may be stored all the same. */
export async function sendEncrypted(request: EncryptedRequest, call: ResolvedCall): Promise<SendOutcome> {
  const { files, encrypted, keys, route, cidVersion, wrapWithDirectory, progress, entry } = request;
  const names = encrypted.map(({ name }) => name);
  const hashed = createHashedUpload(encrypted, cidVersion, entry.expectCids);
  const sent = { names, keys, expected: hashed.expected, entry };
  try {
    const headers = {
      ...route.headers,
      Encryption: "true",
      ...(files.every(isPlainText) ? { "Mime-Type": "text/plain" } : {}),
    };
    const upload = { files: hashed.files, route: { ...route, headers }, cidVersion, wrapWithDirectory, progress };
    const response = await send(upload, call);
    const name = getOnlyName(encrypted, wrapWithDirectory);
    const rows = readUploadResponse(response, { list: files.length > 1, name });
    return { sent, stored: matchResponse(rows, names, response.facts, hashed.expected) };
  } catch (error) {
    return { sent, error };
  } finally {
    hashed.close();
  }
}

/** Codes of errors after which the upload node has responded, but not reliably. */
const UNTRUSTED_RESPONSE = new Set<ErrorCode>(["INVALID_JSON", "INVALID_RESPONSE"]);

/** Returns whether the files may be stored although the request failed. */
export function mayBeStored(error: unknown): error is KeeplightError {
  return isKeeplightError(error) && (error.details["bodySent"] === true || UNTRUSTED_RESPONSE.has(error.code));
}
