import type { CidVersion } from "../../cid/content-id.ts";
import { TRANSFER_TIMEOUT_MS } from "../../config/limits.ts";
import { duplicateName, invalidSource } from "../../errors/input.ts";
import {
  bearerOptionNames,
  type CallOptions,
  type Optional,
  type ResolvedCall,
  requireApiKey,
  resolveCall,
} from "../../options.ts";
import type { SourceFile } from "../../platform/types.ts";
import { checkBoolean } from "../../validation/boolean.ts";
import { checkOptions, fromNames } from "../../validation/check-options.ts";
import { loadOnDemand } from "../load-on-demand.ts";
import { createProgress, type OnProgress, UPLOAD_STAGES } from "../progress.ts";
import { checkCidVersion, send } from "./send.ts";
import { listSourceFiles, type Source, withSourceCleanup } from "./source.ts";
import type { Route, UploadAccess } from "./upload-access.ts";
import { readUploadResponse, type UploadedFile, type UploadedFiles } from "./upload-response.ts";
import type { VerifiedUpload } from "./verify-upload.ts";
import { toNodeName } from "./wire-name.ts";

/** Further headers of an upload. */
export type Headers = Readonly<Record<string, string>>;

/** Options of {@link upload} and its siblings. */
export type UploadOptions = CallOptions &
  UploadAccess & {
    /** Name for a source that has none, or another name for a single file. @default `blob` */
    name?: string | undefined;
    /** Version of the content ids. @default 1 */
    cidVersion?: CidVersion | undefined;
    /** Put everything into one folder, whose content id is the first in the result. @default `false` */
    wrapWithDirectory?: boolean | undefined;
    /**
     * Compute the content ids of files and folders while they are sent, as Kubo does by default, and reject a response
     * with others. Those of encrypted files are always computed, in both chunk profiles of IPIP-0499; there this option
     * rejects others at once, without reading them back.
     *
     * @default `false`
     */
    verifyCid?: boolean | undefined;
    /** Receives how far the upload is. @default none */
    onProgress?: OnProgress | undefined;
  };

export const uploadOptionNames = [
  bearerOptionNames,
  "via,name,cidVersion,wrapWithDirectory,verifyCid,onProgress",
] as const;

export const uploadOperation = { options: fromNames(uploadOptionNames) };

/**
 * Uploads a file, a folder, bytes, a stream, or several of these, unencrypted. Memory use does not depend on the size.
 *
 * Resolves to what was stored, roots first: one file is the only item; a folder (or the folder that
 * `wrapWithDirectory` creates) precedes its contents, of which the upload node may list nothing.
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
export async function upload(source: Source, options: UploadOptions): Promise<UploadedFiles> {
  return uploadWithHeaders(source, options, {});
}

/** The same, with further headers. */
export function uploadWithHeaders(source: Source, options: UploadOptions, headers: Headers): Promise<UploadedFiles> {
  return withSourceCleanup(source, (own) => sendUnencrypted(own, options, headers));
}

async function sendUnencrypted(source: Source, options: UploadOptions, headers: Headers): Promise<UploadedFiles> {
  options = checkOptions(options, uploadOptionNames);
  const { call, route, cidVersion } = await prepareUpload(options, headers);
  const files = await listSourceFiles(source, { name: options.name, signal: options.signal });
  refuseDuplicates(files);
  const progress = createProgress(options.onProgress, UPLOAD_STAGES);
  const { wrapWithDirectory } = options;
  const verified = options.verifyCid ? await verifyWhileSent(files, options) : undefined;
  const response = await send(
    { files: verified?.files ?? files, route, cidVersion, wrapWithDirectory, progress },
    call,
  );
  const stored = sortRootsFirst(readUploadResponse(response, { name: getOnlyName(files, wrapWithDirectory) }));
  await verified?.verify(stored);
  progress.done();
  return stored;
}

export const uploadTextOperation = { options: fromNames(uploadOptionNames) };

/**
 * Uploads a string as a file. See {@link upload}.
 *
 * @param options - `name` defaults to `text.txt`
 */
export async function uploadText(text: string, options: UploadOptions): Promise<UploadedFiles> {
  options = checkOptions(options, uploadOptionNames);
  return upload(encodeUtf8(text), { ...options, name: options.name ?? "text.txt" });
}

export const uploadBufferOperation = { options: fromNames(uploadOptionNames) };

/**
 * Uploads bytes as a file. See {@link upload}.
 *
 * @param options - `name` defaults to `blob`
 */
export async function uploadBuffer(bytes: Uint8Array | ArrayBuffer, options: UploadOptions): Promise<UploadedFiles> {
  // A string would be read as a path, and the file at that path sent.
  if (typeof bytes === "string") throw invalidSource("expected bytes; uploadText uploads a string");
  return upload(bytes, options);
}

/** Encodes a string; throws `INVALID_SOURCE` for anything else, which would be converted to another string. */
export function encodeUtf8(text: unknown): Uint8Array<ArrayBuffer> {
  if (typeof text !== "string") throw invalidSource("expected a string");
  return new TextEncoder().encode(text);
}

/**
 * Throws `DUPLICATE_NAME` for two files of one name, which would become one on the network, even if only the upload node
 * reads the names as identical.
 */
export function refuseDuplicates(files: readonly SourceFile[]): void {
  const names = new Map<string, string>();
  for (const { name } of files) {
    const key = toNodeName(name);
    const first = names.get(key);
    if (first !== undefined) throw duplicateName(name, first);
    names.set(key, name);
  }
}

/** Resolves the options that every upload of files has in common; throws `MISSING_API_KEY`, `INVALID_OPTION`. */
export async function prepareUpload(
  options: UploadOptions,
  headers: Headers = {},
): Promise<{ call: ResolvedCall; route: Route; cidVersion: CidVersion }> {
  const cidVersion = checkUploadOptions(options);
  const call = resolveCall(options, TRANSFER_TIMEOUT_MS);
  const route =
    options.via === undefined
      ? { base: call.endpoints.upload, path: "/api/v0/add", bearer: requireApiKey(options), headers }
      : (await loadOnDemand()).routeVia(options);
  return { call, route, cidVersion };
}

/** Checks the options that every upload of files has in common; throws `INVALID_OPTION`. Returns the version to request. */
export function checkUploadOptions(options: Optional<UploadOptions>): CidVersion {
  checkBoolean("wrapWithDirectory", options.wrapWithDirectory);
  checkBoolean("verifyCid", options.verifyCid);
  return checkCidVersion(options.cidVersion);
}

/** Computes the content ids of an upload while it is sent; loads the code for it on demand. */
async function verifyWhileSent(
  files: readonly SourceFile[],
  options: Pick<UploadOptions, "cidVersion" | "wrapWithDirectory" | "signal">,
): Promise<VerifiedUpload> {
  const { createVerifiedUpload } = await loadOnDemand();
  return createVerifiedUpload(files, options);
}

/** Returns the name of the only file, if no folder wraps it: the response is about that file. */
export function getOnlyName(files: readonly SourceFile[], wrapWithDirectory: boolean | undefined): string | undefined {
  const [only] = files;
  return files.length === 1 && !wrapWithDirectory && !only?.name.includes("/") ? only?.name : undefined;
}

/** Sorts folders before their contents, and leaves the rest in the order of the response. */
function sortRootsFirst(stored: UploadedFiles): UploadedFiles {
  const depth = ({ Name }: UploadedFile) => (Name === "" ? 0 : Name.split("/").length);
  const copy: UploadedFiles = [...stored];
  return copy.sort((a, b) => depth(a) - depth(b));
}
