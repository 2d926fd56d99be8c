import { getEndpoints, isPage, lighthouseSettings } from "@keeplight/kavach/shared";
import type { Endpoints, UploadOptions as KitUploadOptions, UploadedFile } from "keeplight";
import { checkToken } from "keeplight/parts";
import type { IFileUploadedResponse, IUploadProgressCallback, UploadFilesOptions } from "./types.ts";

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

/** What an upload sends for its storage class. */
export function toHeaders({ headers }: UploadFilesOptions = {}): Record<string, string> {
  const { storageType } = headers ?? {};
  return storageType ? { "X-Storage-Type": checkToken("headers.storageType", storageType) } : {};
}

/** The kit's options for an unencrypted upload with these options: that to `walrus` has an upload node of its own. */
export function toPlainOptions(apiKey: string, options: UploadFilesOptions): ReturnType<typeof toKitOptions> {
  const plain = toKitOptions(apiKey, options);
  if (options.headers?.storageType !== "walrus") return plain;
  return { ...plain, endpoints: { ...plain.endpoints, upload: lighthouseSettings.lighthouseWalrusNode } };
}

/** The kit's options for an upload with these options. */
export function toKitOptions(
  apiKey: string,
  { cidVersion, onProgress }: UploadFilesOptions,
): { apiKey: string; endpoints: Endpoints } & Pick<KitUploadOptions, "cidVersion" | "onProgress"> {
  const scale = isPage() ? 1 : 100;
  return {
    apiKey,
    endpoints: getEndpoints(),
    cidVersion: cidVersion as KitUploadOptions["cidVersion"],
    onProgress: onProgress && (({ fraction }) => onProgress({ progress: fraction * scale })),
  };
}

/** A stored file in the incumbent's form. */
export function toStored(file: UploadedFile): IFileUploadedResponse {
  return { ...file, Size: file.Size ?? "" };
}

/** The files of a page's list, or the one thing that is uploaded. */
export function toSource(source: unknown): unknown {
  const isList = typeof source === "object" && source !== null && "length" in source && !ArrayBuffer.isView(source);
  return isList ? Array.from(source as ArrayLike<unknown>) : source;
}
