import { TRANSFER_TIMEOUT_MS } from "../../config/limits.ts";
import { duplicateName, invalidSource } from "../../errors/input.ts";
import { type BearerOptions, bearerOptionNames, requireApiKey, resolveCall } from "../../options.ts";
import type { SourceFile } from "../../platform/types.ts";
import { checkOptions } from "../../validation/check-options.ts";
import { createProgress, type OnProgress } from "../progress.ts";
import type { VerifiedUpload } from "../verify-cid.ts";
import { type CidVersion, checkCidVersion, send } from "./send.ts";
import { listSourceFiles, type Source, withSourceCleanup } from "./source.ts";
import { readUploadResponse, type UploadedFile, type UploadedFiles } from "./upload-response.ts";
import { nodeName } from "./wire-name.ts";

/** Options of {@link upload} and its siblings. */
export interface UploadOptions extends BearerOptions {
  /** Name for a source that has none, or another name for a single file. Default `blob`. */
  name?: string | undefined;
  /** Version of the content ids. Default 1. */
  cidVersion?: CidVersion | undefined;
  /** Put everything into one folder, whose content id comes first in the answer. Default `false`. */
  wrapWithDirectory?: boolean | undefined;
  /**
   * Compute the content ids of files and folders while they are sent, as Kubo does by default, and refuse an
   * answer with others. Of encrypted files they are always computed, in both chunk profiles of IPIP-0499; there this
   * refuses others at once, without reading them back. Default `false`.
   */
  verifyCid?: boolean | undefined;
  /** Hears how far the upload is. */
  onProgress?: OnProgress | undefined;
}

export const uploadOptionNames = [bearerOptionNames, "name,cidVersion,wrapWithDirectory,verifyCid,onProgress"] as const;

/**
 * Uploads a file, a folder, bytes, a stream, or several of these, as they are. Memory stays flat whatever
 * the size.
 *
 * Resolves to what was stored, roots first: one file is the only item; a folder (or the folder that
 * `wrapWithDirectory` makes) comes before what is in it, of which the upload node may list nothing.
 *
 * @throws `MISSING_API_KEY`, `INVALID_SOURCE`, `SOURCE_UNREADABLE`, `SOURCE_CHANGED`, `DUPLICATE_NAME`,
 * `INVALID_OPTION`, `HTTP_STATUS`, `NETWORK`, `TIMEOUT`, `INVALID_JSON`, `INVALID_RESPONSE`, `ABORTED`; with `verifyCid`
 * `CID_MISMATCH` (`details`: `name`, `expected`, `got`) after the upload, and before it `UNSUPPORTED` for a
 * folder of some thousand entries, whose id cannot be computed
 *
 * @example
 * const [file] = await upload("./photo.jpg", { apiKey });
 * console.log(`https://gateway.lighthouse.storage/ipfs/${file.Hash}`);
 */
export async function upload(source: Source, options: UploadOptions = {}): Promise<UploadedFiles> {
  return withSourceCleanup(source, () => sendPlainly(source, options));
}

async function sendPlainly(source: Source, options: UploadOptions): Promise<UploadedFiles> {
  checkOptions(options, uploadOptionNames);
  const apiKey = requireApiKey(options);
  checkCidVersion(options.cidVersion);
  const call = resolveCall(options, TRANSFER_TIMEOUT_MS);
  const files = await listSourceFiles(source, { name: options.name, signal: options.signal });
  refuseDuplicates(files);
  const progress = createProgress(options.onProgress, { preparing: 0, uploading: 1 });
  const { cidVersion, wrapWithDirectory } = options;
  const verified = await sendMaybeVerified(options.verifyCid, files, options);
  const answer = await send({ files: verified?.files ?? files, apiKey, cidVersion, wrapWithDirectory, progress }, call);
  const stored = rootsFirst(readUploadResponse(answer, { name: onlyName(files, wrapWithDirectory) }));
  await verified?.verify(stored);
  progress.done();
  return stored;
}

/**
 * Uploads a text as a file. See {@link upload}.
 *
 * @param options - `name` defaults to `text.txt`
 */
export async function uploadText(text: string, options: UploadOptions = {}): Promise<UploadedFiles> {
  checkOptions(options, uploadOptionNames);
  return upload(encodeUtf8(text), { ...options, name: options.name ?? "text.txt" });
}

/**
 * Uploads bytes as a file. See {@link upload}.
 *
 * @param options - `name` defaults to `blob`
 */
export async function uploadBuffer(
  bytes: Uint8Array | ArrayBuffer,
  options: UploadOptions = {},
): Promise<UploadedFiles> {
  // A text would be taken for a path, and the file there sent.
  if (typeof bytes === "string") throw invalidSource("expected bytes; uploadText uploads a text");
  return upload(bytes, options);
}

/** The bytes of a text; throws `INVALID_SOURCE` for anything else, of which another text would be made. */
export function encodeUtf8(text: unknown): Uint8Array<ArrayBuffer> {
  if (typeof text !== "string") throw invalidSource("expected a text");
  return new TextEncoder().encode(text);
}

/**
 * Two files of one name would become one on the network, also where only the upload node reads the names as
 * identical; throws `DUPLICATE_NAME`.
 */
export function refuseDuplicates(files: readonly SourceFile[]): void {
  const names = new Map<string, string>();
  for (const { name } of files) {
    const key = nodeName(name);
    const first = names.get(key);
    if (first !== undefined) throw duplicateName(name, first);
    names.set(key, name);
  }
}

/** What computes the content ids of an upload, if that is wanted; only then its code is loaded. */
async function sendMaybeVerified(
  wanted: boolean | undefined,
  files: readonly SourceFile[],
  options: Pick<UploadOptions, "cidVersion" | "wrapWithDirectory" | "signal">,
): Promise<VerifiedUpload | undefined> {
  if (!wanted) return undefined;
  const { verifiedUpload } = await import("../verify-cid.ts");
  return verifiedUpload(files, options);
}

/** The name of the only file, if no folder wraps it: the response is about that file. */
export function onlyName(files: readonly SourceFile[], wrapWithDirectory: boolean | undefined): string | undefined {
  const [only] = files;
  return files.length === 1 && !wrapWithDirectory && !only?.name.includes("/") ? only?.name : undefined;
}

/** A folder before what is in it, everything else in the order of the answer. */
function rootsFirst(stored: UploadedFiles): UploadedFiles {
  const depth = ({ Name }: UploadedFile) => (Name === "" ? 0 : Name.split("/").length);
  const copy: UploadedFiles = [...stored];
  return copy.sort((a, b) => depth(a) - depth(b));
}
