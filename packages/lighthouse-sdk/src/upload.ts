import {
  getEndpoints,
  isPage,
  orFileError,
  prefixed,
  prefixedServerMessage,
  type Unchecked,
  withErrors,
} from "@keeplight/kavach/shared";
import {
  type Endpoints,
  type UploadOptions as KitUploadOptions,
  type Source,
  type UploadedFile,
  uploadCar as uploadCarFile,
  upload as uploadPlain,
} from "keeplight";
import { checkToken } from "keeplight/parts";
import type { IFileUploadedResponse, IUploadProgressCallback, UploadFilesOptions, UploadOptions } from "./types.ts";

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
    uploadPlain(source as Source, toLooseOptions(toKitOptions(apiKey, options), isPage() && isLooseList(source))),
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
  const prefix = isPage() ? "Error: " : "";
  if (isPage() === (typeof pathOrFile === "string")) {
    throw new Error(
      isPage() ? "In browser environment, provide a File object" : "In Node.js environment, provide a file path string",
    );
  }
  const name = typeof pathOrFile === "string" ? pathOrFile : pathOrFile.name;
  if (!/\.car$/i.test(name)) throw new Error(`${prefix}File must have a .car extension`);
  const form = isPage() ? prefixedServerMessage : prefixed;
  const [root] = await withErrors(orFileError(form), async () => {
    const { cidVersion: _, ...kitOptions } = toKitOptions(apiKey, toUploadOptions(options));
    return uploadCarFile(pathOrFile, kitOptions);
  });
  return { data: toStored(root) };
}

/** Whether several files are in no folder. */
function isLooseList(source: unknown): boolean {
  return Array.isArray(source) && source.length > 1 && !source.some((file) => file?.webkitRelativePath);
}

async function uploadBlob(data: unknown, apiKey: string, options: UploadOptions | undefined, name?: string) {
  const [stored] = await withErrors(prefixedServerMessage, async () => {
    const { onProgress: _, ...kitOptions } = toKitOptions(apiKey, toUploadOptions(options));
    return uploadPlain(toBlob(data), { ...kitOptions, ...(name ? { name } : {}) });
  });
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

/** Receives progress in the incumbent's form. */
export type ProgressCallback = (data: IUploadProgressCallback) => void;

/** Options that were once a number: the version of the content ids. */
export function toUploadOptions(
  options: UploadFilesOptions | number | undefined,
  callback?: ProgressCallback,
): UploadFilesOptions {
  const named = typeof options === "number" ? { cidVersion: options } : options;
  return callback ? { onProgress: callback, ...named } : { ...named };
}

/** The incumbent sends several loose files to the usual node, whatever their storage class. */
function toLooseOptions(
  options: ReturnType<typeof toKitOptions>,
  isLoose: boolean,
): ReturnType<typeof toKitOptions> & { wrapWithDirectory: boolean } {
  const { endpoints } = options;
  const own = isLoose ? { endpoints: { ...endpoints, walrusUpload: endpoints.upload } } : {};
  return { ...options, ...own, wrapWithDirectory: isLoose };
}

/** The kit's options for an upload with these options. */
export function toKitOptions(
  apiKey: string,
  { cidVersion, onProgress, headers }: UploadFilesOptions,
): { apiKey: string; endpoints: Endpoints } & Pick<
  KitUploadOptions,
  "cidVersion" | "onProgress" | "storage" | "checkRoom"
> {
  const scale = isPage() ? 1 : 100;
  const { storageType } = headers ?? {};
  return {
    apiKey,
    storage: storageType ? checkToken("headers.storageType", storageType) : undefined,
    checkRoom: false,
    endpoints: getEndpoints(),
    cidVersion: cidVersion as KitUploadOptions["cidVersion"],
    onProgress: onProgress && (({ fraction }) => onProgress({ progress: fraction * scale })),
  };
}

/** A stored file in the incumbent's form. */
export function toStored({ storage: _, ...file }: UploadedFile): IFileUploadedResponse {
  return { ...file, Size: file.Size ?? "" };
}

/** The files of a page's list, or the one thing that is uploaded. */
export function toSource(source: unknown): unknown {
  const isList = typeof source === "object" && source !== null && "length" in source && !ArrayBuffer.isView(source);
  return isList ? Array.from(source as ArrayLike<unknown>) : source;
}
