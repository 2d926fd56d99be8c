import { wait } from "../../async/abort.ts";
import type { CidVersion } from "../../cid/content-id.ts";
import { KEY_NODE_COUNT } from "../../config/limits.ts";
import { kavachGenerate } from "../../kavach/shards/generate.ts";
import type { ResolvedCall } from "../../options.ts";
import type { SourceFile } from "../../platform/types.ts";
import type { ProgressReporter } from "../progress.ts";
import { isPlainText } from "./encrypt-files.ts";
import { createHashedUpload, type ExpectedCids } from "./encrypted-cids.ts";
import type { UploadEncryptedOptions } from "./encrypted-upload-options.ts";
import { matchResponse } from "./match-response.ts";
import { send } from "./send.ts";
import { getOnlyName } from "./upload.ts";
import type { Route } from "./upload-access.ts";
import type { FileKey, UploadRecord } from "./upload-record.ts";
import { readUploadResponse, type UploadedFile } from "./upload-response.ts";

/** Key generation may block other work, such as an abort, for this long. */
const MAX_BLOCKING_MS = 10;

/** Generates a key for each of `count` files. */
export async function generateKeys(
  count: number,
  { threshold, scheme, signal }: Pick<UploadEncryptedOptions, "threshold" | "scheme" | "signal">,
): Promise<FileKey[]> {
  const keys: FileKey[] = [];
  let blockedSince = performance.now();
  while (keys.length < count) {
    keys.push(await kavachGenerate({ threshold, scheme, keyCount: KEY_NODE_COUNT }));
    if (performance.now() - blockedSince < MAX_BLOCKING_MS) continue;
    await wait(0, signal);
    blockedSince = performance.now();
  }
  return keys;
}

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
  record: UploadRecord;
}

/** What was sent, as far as saving the keys requires it. */
export interface SentUpload {
  names: readonly string[];
  /** Of each file. */
  keys: readonly FileKey[];
  expected(index: number): ExpectedCids | undefined;
  record: UploadRecord;
}

/** The outcome of a request: the content ids that the upload node reports, or why they are unknown. */
export type SendOutcome = { sent: SentUpload } & ({ stored: UploadedFile[] } | { error: unknown });

/** Encrypts and sends files; returns a failure instead of throwing it, as the files may be stored all the same. */
export async function sendEncrypted(request: EncryptedRequest, call: ResolvedCall): Promise<SendOutcome> {
  const { files, encrypted, keys, route, cidVersion, wrapWithDirectory, progress, record } = request;
  const names = encrypted.map(({ name }) => name);
  const hashed = createHashedUpload(encrypted, cidVersion, record.expect);
  const sent = { names, keys, expected: hashed.expected, record };
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
