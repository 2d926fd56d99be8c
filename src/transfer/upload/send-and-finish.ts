import type { UploadEncryptedOptions } from "./encrypted-upload-options.ts";
import { finishUpload, makeResumable, mayBeStored } from "./resume-upload.ts";
import { prepareSaving } from "./save-uploaded.ts";
import { type EncryptedRequest, sendEncrypted } from "./send-encrypted.ts";
import { type Headers, prepareUpload } from "./upload.ts";
import type { UploadedFiles } from "./upload-response.ts";

/** Resolves the options of an encrypted upload before anything is sent; throws what each of them throws. */
export async function prepareEncrypted(options: UploadEncryptedOptions, headers: Headers = {}) {
  return { ...(await prepareUpload(options, headers)), saving: await prepareSaving(options), options };
}

/**
 * Sends encrypted files, confirms where they are stored and saves their keys. Any failure once they may be stored can be
 * resumed.
 */
export async function sendAndFinish(
  request: Omit<EncryptedRequest, "route" | "cidVersion" | "progress">,
  { options, saving, call, ...prepared }: Awaited<ReturnType<typeof prepareEncrypted>>,
): Promise<UploadedFiles> {
  const { sent, ...outcome } = await sendEncrypted({ ...request, ...prepared, progress: saving.progress }, call);
  if ("error" in outcome) {
    const { error } = outcome;
    throw mayBeStored(error) ? makeResumable(error, sent, undefined, options) : error;
  }
  const { stored } = outcome;
  return finishUpload({ sent, stored, reported: stored }, options, saving);
}
