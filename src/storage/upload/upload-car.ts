import { invalidSource } from "../../base/errors/input.ts";
import { callback, type Operation, resolveOptions, unchecked } from "../../base/operation.ts";
import { type BearerOptions, bearerSchema, transferSchema } from "../../base/options.ts";
import { createProgress, type OnProgress, UPLOAD_STAGES } from "../progress.ts";
import { send } from "./send.ts";
import { listSourceFiles, type Source, withSourceCleanup } from "./source.ts";
import type { Headers } from "./upload-access.ts";
import { readUploadResponse, type UploadedFiles } from "./upload-response.ts";

/** Options of {@link uploadCar}. */
export interface UploadCarOptions extends BearerOptions {
  /** Name for a source that has none, or another name for the file. @default `blob` */
  name?: string | undefined;
  /** Receives how far the upload is. @default none */
  onProgress?: OnProgress | undefined;
}

export const uploadCarOperation = {
  options: { ...bearerSchema, ...transferSchema, name: unchecked<string>(), onProgress: callback<OnProgress>() },
} satisfies Operation<UploadCarOptions>;

/**
 * Uploads a CAR file (content-addressed archive): the network stores the blocks in it under their own content
 * ids. Memory use does not depend on the size.
 *
 * @param source - one file
 * @returns the roots of the archive, as the upload node names them
 * @throws `MISSING_API_KEY`, `INVALID_SOURCE`, `SOURCE_UNREADABLE`, `SOURCE_CHANGED`, `HTTP_STATUS`, `NETWORK`,
 * `TIMEOUT`, `INVALID_JSON`, `INVALID_RESPONSE`, `ABORTED`
 *
 * @example
 * const [root] = await uploadCar("./site.car", { apiKey });
 */
export async function uploadCar(source: Source, options: UploadCarOptions): Promise<UploadedFiles> {
  return uploadCarWithHeaders(source, options, {});
}

/** Does the same as {@link uploadCar}, with further headers of the request to the upload node. */
export function uploadCarWithHeaders(
  source: Source,
  options: UploadCarOptions,
  headers: Headers,
): Promise<UploadedFiles> {
  return withSourceCleanup(source, async (own) => {
    const { apiKey, ...call } = resolveOptions(uploadCarOperation.options, options);
    const files = await listSourceFiles(own, call);
    if (files.length > 1) throw invalidSource("a CAR upload takes one file");
    const progress = createProgress(call.onProgress, UPLOAD_STAGES);
    const route = { base: call.endpoints.upload, path: "/api/v0/dag/import", bearer: apiKey, headers };
    const response = await send({ files, route, cidVersion: undefined, wrapWithDirectory: undefined, progress }, call);
    const stored = readUploadResponse(response);
    progress.done();
    return stored;
  });
}
