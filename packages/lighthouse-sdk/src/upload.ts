import {
  isPage,
  orFileError,
  prefixed,
  prefixedServerMessage,
  type Unchecked,
  withErrors,
} from "@keeplight/kavach/shared";
import type { Source } from "keeplight";
import { uploadCarWithHeaders, uploadWithHeaders } from "keeplight/parts";
import type { IFileUploadedResponse, UploadFilesOptions, UploadOptions } from "./types.ts";
import {
  type ProgressCallback,
  toHeaders,
  toPlainOptions,
  toSource,
  toStored,
  toUploadOptions,
} from "./upload-call.ts";

/**
 * Uploads a file or a folder: in Node by its path, in a page as a list of files. Several files of a page that are in no
 * folder are put into one.
 */
export async function upload(
  path: Unchecked,
  apiKey: string,
  cidVersionOrOptions: number | UploadFilesOptions = 1,
  uploadProgressCallback?: ProgressCallback,
): Promise<{ data: IFileUploadedResponse }> {
  const options = toUploadOptions(cidVersionOrOptions, uploadProgressCallback);
  const source = toSource(path);
  const form = isPage() ? prefixedServerMessage : prefixed;
  const [root] = await withErrors(orFileError(form), () =>
    uploadWithHeaders(
      source as Source,
      { ...toPlainOptions(apiKey, options), wrapWithDirectory: isPage() && isLooseList(source) },
      toHeaders(options),
    ),
  );
  return { data: toStored(root) };
}

/** Uploads a string as a file. */
export async function uploadText(
  text: string,
  apiKey: string,
  name = "text",
  options?: UploadOptions,
): Promise<{ data: Unchecked }> {
  return uploadBlob(text, apiKey, options, name);
}

/** Uploads bytes or a blob as a file. */
export async function uploadBuffer(
  buffer: Unchecked,
  apiKey: string,
  options?: UploadOptions,
): Promise<{ data: Unchecked }> {
  return uploadBlob(buffer, apiKey, options);
}

/** Uploads a CAR file: in Node by its path, in a page as a file. */
export async function uploadCAR(
  pathOrFile: string | File,
  apiKey: string,
  options?: UploadFilesOptions,
): Promise<{ data: IFileUploadedResponse }> {
  const { onProgress, endpoints } = toPlainOptions(apiKey, toUploadOptions(options));
  const prefix = isPage() ? "Error: " : "";
  if (isPage() === (typeof pathOrFile === "string")) {
    throw new Error(
      isPage() ? "In browser environment, provide a File object" : "In Node.js environment, provide a file path string",
    );
  }
  const name = typeof pathOrFile === "string" ? pathOrFile : pathOrFile.name;
  if (!/\.car$/i.test(name)) throw new Error(`${prefix}File must have a .car extension`);
  const form = isPage() ? prefixedServerMessage : prefixed;
  const [root] = await withErrors(orFileError(form), () =>
    uploadCarWithHeaders(pathOrFile, { apiKey, endpoints, onProgress }, toHeaders(options)),
  );
  return { data: toStored(root) };
}

/** Whether several files are in no folder. */
function isLooseList(source: unknown): boolean {
  return Array.isArray(source) && source.length > 1 && !source.some((file) => file?.webkitRelativePath);
}

async function uploadBlob(
  data: unknown,
  apiKey: string,
  options: UploadOptions | undefined,
  name?: string,
): Promise<{ data: IFileUploadedResponse }> {
  const { cidVersion, endpoints } = toPlainOptions(apiKey, toUploadOptions(options));
  const [stored] = await withErrors(prefixedServerMessage, () =>
    uploadWithHeaders(toBlob(data), { apiKey, cidVersion, endpoints, ...(name ? { name } : {}) }, toHeaders(options)),
  );
  return { data: toStored(stored) };
}

/** A page's file keeps its name; a string is the content, not a path. */
function toBlob(data: unknown): Source {
  if (data instanceof Blob && isPage()) return data;
  const isContent =
    typeof data === "string" ||
    data instanceof Blob ||
    ArrayBuffer.isView(data) ||
    Object.prototype.toString.call(data) === "[object ArrayBuffer]";
  return isContent ? new Blob([data as BlobPart]) : (data as Source);
}
