import { computeCommitment } from "../../crypto/commitment.ts";
import { plaintextSize } from "../../crypto/file-format.ts";
import { mergeResumeOptions } from "../../kavach/nodes/merge-options.ts";
import { encryptFiles, refuseTooLarge } from "./encrypt-files.ts";
import { checkResumeOptions } from "./encrypted-upload-options.ts";
import { finishUpload, makeResumable, mayBeStored } from "./resume-upload.ts";
import { prepareSaving } from "./save-uploaded.ts";
import { generateKey, generateKeys, sendEncrypted } from "./send-encrypted.ts";
import { listSourceFiles } from "./source.ts";
import { prepareUpload } from "./upload.ts";
import { getUploadRecorder, unrecorded } from "./upload-record.ts";
import { toNodeName } from "./wire-name.ts";

/**
 * The steps of an encrypted upload, for code that is loaded on demand: if it imported them, bundlers would split them from
 * what a page loads at once.
 */
export const uploadSteps = {
  checkResumeOptions,
  computeCommitment,
  encryptFiles,
  finishUpload,
  generateKey,
  generateKeys,
  getUploadRecorder,
  listSourceFiles,
  makeResumable,
  mayBeStored,
  mergeResumeOptions,
  plaintextSize,
  prepareSaving,
  prepareUpload,
  refuseTooLarge,
  sendEncrypted,
  toNodeName,
  unrecorded,
} as const;

/** The type of {@link uploadSteps}. */
export type UploadSteps = typeof uploadSteps;
