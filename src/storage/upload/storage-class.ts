import { boolean, type OptionSchema, optional } from "../../base/operation.ts";
import { type ResolvedEndpoints, token } from "../../base/options.ts";

/**
 * How the network stores a file, and by which plan it is paid. The network may know others, which are passed on; see
 * docs/network.md.
 */
export type StorageClass = "annual" | "lifetime" | "walrus" | (string & {});

/** Options of calls that store files. */
export interface StorageOptions {
  /** Storage class of the files, sent as `X-Storage-Type`. @default the network's own: the request names none */
  storage?: StorageClass | undefined;
  /**
   * Whether to refuse files, before any is sent, that the account has no room for in the storage class. What was read of
   * its usage counts for a minute. If it cannot be read, or says nothing about the class, the files are sent. Not through
   * `via`, and not if one of the API host and the upload node is the public network's and the other is not.
   *
   * @default `true` if `storage` is set
   */
  checkRoom?: boolean | undefined;
}

export const storageSchema = {
  storage: optional(token),
  checkRoom: optional(boolean(false)),
} satisfies OptionSchema<StorageOptions>;

/** The header of an upload that names its storage class. */
export const STORAGE_HEADER = "X-Storage-Type";

/** Returns the upload node for files of a class: `walrus` has one of its own. Other clients send it no encrypted files. */
export function getUploadHost(
  { upload, walrusUpload }: ResolvedEndpoints,
  storage: StorageClass | undefined,
  isEncrypted: boolean,
): string {
  return storage === "walrus" && !isEncrypted ? walrusUpload : upload;
}
