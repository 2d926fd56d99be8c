import { DEFAULT_CID_VERSION } from "../../base/config/limits.ts";
import { invalidOption, invalidSource } from "../../base/errors/input.ts";
import {
  boolean,
  callback,
  type Operation,
  type OptionSchema,
  optional,
  type Resolved,
  resolveOptions,
  unchecked,
  withDefault,
} from "../../base/operation.ts";
import {
  type BearerOptions,
  bearerSchema,
  type CallOptions,
  type NotEmpty,
  transferSchema,
} from "../../base/options.ts";
import type { CidVersion } from "../../formats/cid/content-id.ts";
import { createProgress, type OnProgress, UPLOAD_STAGES } from "../progress.ts";
import { getOnlyName, refuseDuplicates } from "./file-names.ts";
import { resolveRoute, routeToNode, send } from "./send.ts";
import { encodeUtf8, listSourceFiles, type Source, withSourceCleanup } from "./source.ts";
import { type StorageOptions, storageSchema } from "./storage-class.ts";
import { getPaidFile, type UploadAccess, uploadAccessSchema } from "./upload-access.ts";
import { readUploadResponse, type UploadedFile, type UploadedFiles } from "./upload-response.ts";

/** Options of {@link upload} and its siblings. */
export type UploadOptions = CallOptions &
  UploadAccess &
  StorageOptions & {
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

export const uploadSchema = {
  ...transferSchema,
  ...uploadAccessSchema,
  name: unchecked<string>(),
  cidVersion: (cidVersion = DEFAULT_CID_VERSION, name): CidVersion => {
    if (cidVersion !== 0 && cidVersion !== 1) throw invalidOption(name, "0 or 1");
    return cidVersion;
  },
  // Sent only if it makes a difference.
  wrapWithDirectory: optional(boolean(false)),
  verifyCid: boolean(false),
  onProgress: callback<OnProgress>(),
} satisfies OptionSchema<UploadOptions>;

export const uploadOperation = { options: uploadSchema } satisfies Operation<UploadOptions>;

/**
 * Uploads a file, a folder, bytes, a stream, or several of these, unencrypted. Memory use does not depend on the size.
 *
 * Resolves to what was stored, roots first: one file is the only item; a folder (or the folder that
 * `wrapWithDirectory` creates) precedes its contents, of which the upload node may list nothing. With `verifyCid` it is
 * only what was sent: other names in the response are left out.
 *
 * @throws `MISSING_API_KEY`, `INVALID_SOURCE`, `SOURCE_UNREADABLE`, `SOURCE_CHANGED`, `DUPLICATE_NAME`,
 * `INVALID_OPTION`, `NO_ROOM`, `HTTP_STATUS`, `NETWORK`, `TIMEOUT`, `INVALID_JSON`, `INVALID_RESPONSE`, `ABORTED`; with
 * `verifyCid` or `payPerUpload`
 * `CID_MISMATCH` (`details`: `name`, `expected`, `got`) after the upload, and before it `UNSUPPORTED` for a
 * folder of some thousand entries, whose id cannot be computed; with `payPerUpload` before anything is signed `UNEXPECTED_PAYMENT`,
 * `PAYMENT_ABOVE_LIMIT`, `INSUFFICIENT_FUNDS`, `FILE_TOO_LARGE`, `SIGNATURE_REJECTED`, and after that an `UnfinishedError`, also
 * `PAYMENT_NOT_TAKEN` and `PAID_NOT_STORED`, whose `resume()` does the same again
 *
 * @example
 * const [file] = await upload("./photo.jpg", { apiKey });
 * console.log(`https://gateway.lighthouse.storage/ipfs/${file.Hash}`);
 */
export async function upload<const From extends Source>(
  source: From & NotEmpty<From>,
  options: UploadOptions,
): Promise<UploadedFiles> {
  return withSourceCleanup(source, async (own) => sendUnencrypted(own, resolveOptions(uploadSchema, options)));
}

const textSchema = { ...uploadSchema, name: withDefault(unchecked<string>(), "text.txt") };

export const uploadTextOperation = { options: textSchema } satisfies Operation<UploadOptions>;

/**
 * Uploads a string as a file. See {@link upload}.
 *
 * @param options - `name` defaults to `text.txt`
 */
export async function uploadText(text: string, options: UploadOptions): Promise<UploadedFiles> {
  const resolved = resolveOptions(textSchema, options);
  return sendUnencrypted(encodeUtf8(text), resolved);
}

export const uploadBufferOperation = { options: uploadSchema } satisfies Operation<UploadOptions>;

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

async function sendUnencrypted(source: Source, options: Resolved<typeof uploadSchema>): Promise<UploadedFiles> {
  const { cidVersion, wrapWithDirectory, storage } = options;
  const route = await resolveRoute(options, false);
  const files = await listSourceFiles(source, options);
  refuseDuplicates(files.map(({ name }) => name));
  const progress = createProgress(options.onProgress, UPLOAD_STAGES);
  if (route.payment) return route.payment.upload(getPaidFile(files), progress, options);
  const verifying = options.verifyCid ? await import("./verify-upload.ts") : undefined;
  const verified = await verifying?.createVerifiedUpload(files, options);
  const sent = verified?.files ?? files;
  const response = await send({ files: sent, route, cidVersion, wrapWithDirectory, progress }, options);
  const stored = sortRootsFirst(readUploadResponse(response, { name: getOnlyName(files, wrapWithDirectory), storage }));
  const proved = (await verified?.verify(stored)) ?? stored;
  progress.done();
  return proved;
}

/** Sorts folders before their contents, and leaves the rest in the order of the response. */
function sortRootsFirst(stored: UploadedFiles): UploadedFiles {
  const depth = ({ Name }: UploadedFile) => (Name === "" ? 0 : Name.split("/").length);
  const copy: UploadedFiles = [...stored];
  return copy.sort((a, b) => depth(a) - depth(b));
}

/** Options of {@link uploadCar}. */
export interface UploadCarOptions extends BearerOptions, StorageOptions {
  /** Name for a source that has none, or another name for the file. @default `blob` */
  name?: string | undefined;
  /** Receives how far the upload is. @default none */
  onProgress?: OnProgress | undefined;
}

export const uploadCarOperation = {
  options: {
    ...bearerSchema,
    ...transferSchema,
    ...storageSchema,
    name: unchecked<string>(),
    onProgress: callback<OnProgress>(),
  },
} satisfies Operation<UploadCarOptions>;

/**
 * Uploads a CAR file (content-addressed archive): the network stores the blocks in it under their own content
 * ids. Memory use does not depend on the size.
 *
 * @param source - one file
 * @returns the roots of the archive, as the upload node names them
 * @throws `MISSING_API_KEY`, `INVALID_SOURCE`, `SOURCE_UNREADABLE`, `SOURCE_CHANGED`, `NO_ROOM`, `HTTP_STATUS`,
 * `NETWORK`, `TIMEOUT`, `INVALID_JSON`, `INVALID_RESPONSE`, `ABORTED`
 *
 * @example
 * const [root] = await uploadCar("./site.car", { apiKey });
 */
export async function uploadCar(source: Source, options: UploadCarOptions): Promise<UploadedFiles> {
  return withSourceCleanup(source, async (own) => {
    const call = resolveOptions(uploadCarOperation.options, options);
    const files = await listSourceFiles(own, call);
    if (files.length > 1) throw invalidSource("a CAR upload takes one file");
    const progress = createProgress(call.onProgress, UPLOAD_STAGES);
    const route = routeToNode("/api/v0/dag/import", call);
    const response = await send({ files, route, cidVersion: undefined, wrapWithDirectory: undefined, progress }, call);
    const stored = readUploadResponse(response, { storage: call.storage });
    progress.done();
    return stored;
  });
}
