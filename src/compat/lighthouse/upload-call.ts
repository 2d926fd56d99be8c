import type { UploadOptions as KitUploadOptions, UploadedFile } from "../../index.ts";
import { getEndpoints, isPage, lighthouseSettings } from "../settings.ts";
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

/** The kit's options for an upload with these options. */
export function toKitOptions(
  apiKey: string,
  { cidVersion, onProgress, headers }: UploadFilesOptions,
): { apiKey: string } & Pick<KitUploadOptions, "cidVersion" | "onProgress" | "endpoints"> {
  const scale = isPage() ? 1 : 100;
  const endpoints = getEndpoints();
  if (headers?.storageType === "walrus") endpoints.upload = lighthouseSettings.lighthouseWalrusNode;
  return {
    apiKey,
    endpoints,
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
