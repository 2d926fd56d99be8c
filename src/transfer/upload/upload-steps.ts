import { computeCommitment } from "../../crypto/commitment.ts";
import { generateNonces, prepareEncryption } from "../../crypto/encrypt.ts";
import { plaintextSize } from "../../crypto/file-format.ts";
import { deriveFileKey } from "../../crypto/master-key.ts";
import { shardsNotSaved } from "../../errors/nodes.ts";
import { encryptFiles, toFolderPath } from "./encrypt-files.ts";
import { findChunkProfile } from "./encrypted-cids.ts";
import { mergeUploadOptions } from "./encrypted-upload-options.ts";
import { prepareEncrypted, sendAndFinish } from "./send-and-finish.ts";
import { generateKeys } from "./send-encrypted.ts";
import { listSourceFiles } from "./source.ts";
import { recordUpload } from "./upload-record.ts";
import { toNodeName } from "./wire-name.ts";

/**
 * The steps of an encrypted upload, for code that is loaded on demand: if it imported them, bundlers would split them from
 * what a page loads at once.
 */
export const uploadSteps = {
  computeCommitment,
  deriveFileKey,
  encryptFiles,
  findChunkProfile,
  generateKeys,
  generateNonces,
  listSourceFiles,
  mergeUploadOptions,
  plaintextSize,
  prepareEncrypted,
  prepareEncryption,
  recordUpload,
  sendAndFinish,
  shardsNotSaved,
  toFolderPath,
  toNodeName,
} as const;

/** The type of {@link uploadSteps}. */
export type UploadSteps = typeof uploadSteps;
