import { preparesBody } from "#platform";
import type { UnfinishedError } from "../../errors/unfinished.ts";
import { type JournalOptions, journalOptionNames } from "../../journal/handle.ts";
import type { OwnerOptions } from "../../kavach/auth/owner.ts";
import {
  type AccessOptions,
  accessOptionNames,
  type SaveOnOptions,
  saveOnNames,
} from "../../kavach/keys/key-request.ts";
import type { KeyNodeOptions } from "../../kavach/nodes/node-client.ts";
import { mergeResumeOptions, ownerCallNames } from "../../kavach/nodes/owner-call.ts";
import type { ShardScheme } from "../../kavach/shards/sharing.ts";
import type { Optional } from "../../options.ts";
import { type RecoveryOptions, recoveryNames } from "../../recovery-file/recorder-options.ts";
import { checkOptions } from "../../validation/check-options.ts";
import { createProgress, type ProgressReporter, type Stages } from "../progress.ts";
import { checkUploadOptions, type UploadOptions, uploadOptionNames } from "./upload.ts";
import type { UploadedFiles } from "./upload-response.ts";

/** Options of `uploadEncrypted`. */
export type UploadEncryptedOptions = UploadOptions &
  KeyNodeOptions &
  OwnerOptions &
  AccessOptions &
  SaveOnOptions &
  RecoveryOptions &
  JournalOptions & {
    /** How keys are split. @default `bls12-381`, the only scheme that other clients read */
    scheme?: ShardScheme | undefined;
  };

/** Options that may change when an encrypted upload is resumed. */
export type ResumeUploadOptions = Optional<UploadEncryptedOptions> & {
  /**
   * If the upload node's response was lost, or is not trusted: the content id of each file, by the name in
   * `details.names`.
   *
   * @default those of the upload node's response
   */
  cids?: Readonly<Record<string, string>> | undefined;
};

export const uploadEncryptedNames = [
  uploadOptionNames,
  ownerCallNames,
  accessOptionNames,
  saveOnNames,
  journalOptionNames,
  recoveryNames,
  "scheme",
] as const;
const resumeUploadNames = [uploadEncryptedNames, "cids"] as const;

/** Merges the options that an upload is resumed with into its own; throws `INVALID_OPTION`. */
export function mergeUploadOptions(
  options: UploadEncryptedOptions,
  changed: ResumeUploadOptions,
): UploadEncryptedOptions {
  changed = checkOptions(changed, resumeUploadNames);
  checkUploadOptions(changed);
  return mergeResumeOptions(options, changed);
}

/** An encrypted upload that is partly done; see {@link UnfinishedError.resume}. */
export type UnfinishedUpload = UnfinishedError<UploadedFiles, ResumeUploadOptions>;

const SAVING_KEYS = { phase: "saving-keys", share: 0.1 } as const;

const ENCRYPTED_UPLOAD_STAGES: Stages = preparesBody
  ? [{ phase: "preparing", share: 0.45 }, { phase: "uploading", share: 0.45 }, SAVING_KEYS]
  : [{ phase: "uploading", share: 0.9 }, SAVING_KEYS];

/** Creates a reporter of encrypting, sending and saving keys. */
export function createUploadProgress({ onProgress }: UploadEncryptedOptions): ProgressReporter {
  return createProgress(onProgress, ENCRYPTED_UPLOAD_STAGES);
}
