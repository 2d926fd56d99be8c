import { TRANSFER_TIMEOUT_MS } from "../config/limits.ts";
import { duplicateName } from "../errors/input.ts";
import { type BearerOptions, requireApiKey, resolveCall } from "../options.ts";
import type { SourceFile } from "../platform/contract.ts";
import { createProgress, type OnProgress } from "./progress.ts";
import { type CidVersion, send } from "./send.ts";
import { filesOf, type Source } from "./source.ts";
import { readUploadAnswer, type UploadedFile } from "./upload-answer.ts";

/** Options of {@link upload} and its siblings. */
export interface UploadOptions extends BearerOptions {
  /** Name for a source that has none, or another name for a single file. Default `blob`. */
  name?: string | undefined;
  /** Version of the content ids. Default 1. */
  cidVersion?: CidVersion | undefined;
  /** Put everything into one folder, whose content id comes first in the answer. Default `false`. */
  wrapWithDirectory?: boolean | undefined;
  /** Hears how far the upload is. */
  onProgress?: OnProgress | undefined;
}

/**
 * Uploads a file, a folder, bytes, a stream, or several of these, as they are. Memory stays flat whatever
 * the size.
 *
 * Resolves to what was stored, roots first: one file is the only item; a folder (or the folder that
 * `wrapWithDirectory` makes) comes before what is in it, of which the upload node may list nothing.
 *
 * @throws `MISSING_API_KEY`, `INVALID_SOURCE`, `SOURCE_UNREADABLE`, `SOURCE_CHANGED`, `DUPLICATE_NAME`,
 * `HTTP_STATUS`, `NETWORK`, `TIMEOUT`, `INVALID_JSON`, `INVALID_ANSWER`, `ABORTED`
 *
 * @example
 * const [file] = await upload("./photo.jpg", { apiKey });
 * console.log(`https://gateway.lighthouse.storage/ipfs/${file.Hash}`);
 */
export async function upload(source: Source, options: UploadOptions = {}): Promise<UploadedFile[]> {
  const apiKey = requireApiKey(options);
  const call = resolveCall(options, TRANSFER_TIMEOUT_MS);
  const files = await filesOf(source, { name: options.name, signal: options.signal });
  refuseDuplicates(files);
  const progress = createProgress(options.onProgress, { preparing: 0, uploading: 1 });
  const { cidVersion, wrapWithDirectory } = options;
  const answer = await send({ files, apiKey, cidVersion, wrapWithDirectory, progress }, call);
  const stored = rootsFirst(readUploadAnswer(answer, false));
  progress.done();
  return stored;
}

/**
 * Uploads a text as a file. See {@link upload}.
 *
 * @param options - `name` defaults to `text.txt`
 */
export async function uploadText(text: string, options: UploadOptions = {}): Promise<UploadedFile[]> {
  return upload(new TextEncoder().encode(text), { ...options, name: options.name ?? "text.txt" });
}

/**
 * Uploads bytes as a file. See {@link upload}.
 *
 * @param options - `name` defaults to `blob`
 */
export async function uploadBuffer(
  bytes: Uint8Array | ArrayBuffer,
  options: UploadOptions = {},
): Promise<UploadedFile[]> {
  return upload(bytes, options);
}

/** Two files of one name would become one on the network; throws `DUPLICATE_NAME`. */
export function refuseDuplicates(files: readonly SourceFile[]): void {
  const names = new Set<string>();
  for (const { name } of files) {
    if (names.has(name)) throw duplicateName(name);
    names.add(name);
  }
}

/** A folder before what is in it, everything else in the order of the answer. */
function rootsFirst(stored: readonly UploadedFile[]): UploadedFile[] {
  const depth = ({ Name }: UploadedFile) => (Name === "" ? 0 : Name.split("/").length);
  return [...stored].sort((a, b) => depth(a) - depth(b));
}
