import { preparesBody } from "#platform";
import type { UnfinishedError } from "../../errors/unfinished.ts";
import type { OwnerOptions } from "../../kavach/auth/owner.ts";
import { type AccessOptions, accessOptionNames } from "../../kavach/keys/key-request.ts";
import { type SaveOnOptions, saveOnNames } from "../../kavach/keys/save-shards.ts";
import type { KeyNodeOptions } from "../../kavach/nodes/node-client.ts";
import { ownerCallNames } from "../../kavach/nodes/run-on-all-nodes.ts";
import type { ShardScheme } from "../../kavach/shards/sharing.ts";
import { createProgress, type ProgressReporter } from "../progress.ts";
import { type UploadOptions, uploadOptionNames } from "./upload.ts";
import type { UploadedFiles } from "./upload-response.ts";

/** Options of `uploadEncrypted`. */
export type UploadEncryptedOptions = UploadOptions &
  KeyNodeOptions &
  OwnerOptions &
  AccessOptions &
  SaveOnOptions & {
    /** How keys are split. Default `bls12-381`, the only one that other clients read. */
    scheme?: ShardScheme | undefined;
  };

/** What may be different when an encrypted upload is resumed. */
export type ResumeUploadOptions = Partial<UploadEncryptedOptions> & {
  /**
   * Where the upload node's answer was lost, or is not to be believed: the content id of each file, by the name in
   * `details.names`.
   */
  cids?: Readonly<Record<string, string>> | undefined;
};

export const uploadEncryptedNames = [
  uploadOptionNames,
  ownerCallNames,
  accessOptionNames,
  saveOnNames,
  "scheme",
] as const;
export const resumeUploadNames = [uploadEncryptedNames, "cids"] as const;

/** An encrypted upload that is done in part; see {@link UnfinishedError.resume}. */
export type UnfinishedUpload = UnfinishedError<UploadedFiles, ResumeUploadOptions>;

/** Progress over encrypting, sending and saving keys. */
export function uploadProgress({ onProgress }: UploadEncryptedOptions): ProgressReporter {
  return createProgress(onProgress, {
    ...(preparesBody ? { preparing: 0.45, uploading: 0.45 } : { uploading: 0.9 }),
    "saving-keys": 0.1,
  });
}
