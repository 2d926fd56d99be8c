import { Metadata } from "@tus/server";
import { invalidSource } from "keeplight/parts";
import { checkNameAndType } from "../check-files.ts";
import { uploadRefused, uploadTooLarge } from "../errors.ts";
import { checkFileName, readMediaType } from "../file-facts.ts";
import type { ResolvedLimits } from "../limits.ts";
import type { UploadRecord } from "./spool.ts";

/** The file of an upload, as its client describes it. */
export interface DescribedFile {
  name: string;
  /** Its media type. */
  type: string;
  isEncrypted: boolean;
  /** The storage class that it names. */
  storage: string | undefined;
}

/**
 * Reads the header `Upload-Metadata` (tus 1.0.0, Creation).
 *
 * @throws `INVALID_SOURCE`
 */
export function readMetadata({ headers }: Request): UploadRecord["metadata"] {
  const header = headers.get("upload-metadata");
  if (header === null) return {};
  try {
    return Metadata.parse(header);
  } catch {
    throw invalidSource("its Upload-Metadata is not a list of keys with values in base64");
  }
}

/** Returns metadata as texts of a form, for `authorize`. */
export function toFormData(metadata: UploadRecord["metadata"]): FormData {
  const fields = new FormData();
  for (const [name, value] of Object.entries(metadata)) fields.append(name, value ?? "");
  return fields;
}

/**
 * Reads what clients call a file: `filename` and `filetype`, or as some do, `name` and `type`.
 *
 * @throws `INVALID_SOURCE`
 */
export function describeFile(metadata: UploadRecord["metadata"]): DescribedFile {
  const name = metadata["filename"] ?? metadata["name"];
  if (!name) throw invalidSource("a file has no name");
  return {
    name: checkFileName(name),
    type: readMediaType(metadata["filetype"] ?? metadata["type"] ?? ""),
    isEncrypted: metadata["encryption"] === "true",
    storage: metadata["storage"] || undefined,
  };
}

/**
 * Reads how large an upload is going to be; `undefined` if its length is not announced, or is no number.
 *
 * @returns bytes
 */
export function readLength({ headers }: Request): number | undefined {
  const length = headers.get("upload-length") ?? "";
  return /^\d{1,15}$/.test(length) ? Number(length) : undefined;
}

/**
 * Refuses, before a byte arrives, what the limits exclude.
 *
 * @param size - in bytes
 * @throws `FILE_TOO_LARGE`, `UPLOAD_REFUSED`, `INVALID_SOURCE`
 */
export function checkAnnounced(size: number, metadata: UploadRecord["metadata"], limits: ResolvedLimits): void {
  if (size > limits.maxBytes) throw uploadTooLarge(limits.maxBytes);
  const file = describeFile(metadata);
  checkNameAndType(file, { ...limits, folders: false }, file.isEncrypted);
  if (file.storage !== undefined && !limits.storage.includes(file.storage)) throw uploadRefused("storage");
}
