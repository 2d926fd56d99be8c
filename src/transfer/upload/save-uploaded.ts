import { KEY_NODE_COUNT } from "../../config/limits.ts";
import { isKeeplightError } from "../../errors/base.ts";
import { UnfinishedError } from "../../errors/unfinished.ts";
import { resolveOwner } from "../../kavach/auth/owner.ts";
import { createKeyRequest, type KeyRequest } from "../../kavach/keys/key-request.ts";
import { listMissingNodes, saveKeys, type UnsavedFile } from "../../kavach/keys/save-keys.ts";
import { resolveSavingRule, type SavingRule } from "../../kavach/keys/save-shards.ts";
import { type KeyNodes, type NodeAuth, resolveKeyNodes } from "../../kavach/nodes/node-client.ts";
import { resumedOptions } from "../../kavach/nodes/resumed-options.ts";
import { checkOptions } from "../../validation/check-options.ts";
import type { ProgressReporter } from "../progress.ts";
import {
  type ResumeUploadOptions,
  resumeUploadNames,
  type UploadEncryptedOptions,
  uploadProgress,
} from "./encrypted-upload-options.ts";
import type { UploadedFile, UploadedFiles } from "./upload-response.ts";

/** An upload whose files are stored. */
export interface StoredUpload {
  stored: readonly UploadedFile[];
  files: readonly UnsavedFile[];
}

/** What saving keys takes, made of the options before anything can be lost. */
export interface Saving {
  nodes: KeyNodes;
  auth: NodeAuth;
  requestFor: KeyRequest;
  rule: SavingRule;
  progress: ProgressReporter;
}

/** Resolves the options of saving keys; throws what each of them throws. */
export async function startSaving(options: UploadEncryptedOptions): Promise<Saving> {
  const nodes = resolveKeyNodes(options);
  const auth = await resolveOwner(options, nodes);
  return {
    nodes,
    auth,
    requestFor: await createKeyRequest(options),
    rule: resolveSavingRule(options),
    progress: uploadProgress(options),
  };
}

async function resume(upload: StoredUpload, options: UploadEncryptedOptions): Promise<UploadedFiles> {
  return saveAll(upload, options, await startSaving(options));
}

/** Saves what is not saved yet of all files' keys; whatever goes wrong, what it takes to go on rides on the error. */
export async function saveAll(
  upload: StoredUpload,
  options: UploadEncryptedOptions,
  saving: Saving,
): Promise<UploadedFiles> {
  const { stored } = upload;
  const { progress } = saving;
  const total = stored.length * KEY_NODE_COUNT;
  const onSaved = (shards: number) => progress.report("saving-keys", shards, total);
  const { files, error } = await saveKeys(upload.files, { ...saving, onSaved });
  if (error === undefined) {
    progress.done();
    // One for each file that was sent, of which there is at least one.
    return stored.map((file, at) => withMissing(file, files[at])) as UploadedFiles;
  }
  const known = isKeeplightError(error) ? error : undefined;
  const unfinished = files.flatMap((file, at) =>
    listMissingNodes(file).length === 0 ? [] : [{ Name: stored[at]?.Name, Hash: file.cid, nodesDone: file.nodesDone }],
  );
  throw new UnfinishedError<UploadedFiles, ResumeUploadOptions>(
    known?.code === "ABORTED" ? "ABORTED" : "SHARDS_NOT_SAVED",
    known?.code === "ABORTED" ? known.message : "Error encrypting file",
    {
      details: { node: known?.details["node"], unfinished },
      cause: error,
      resume: async (changed) => {
        checkOptions(changed, resumeUploadNames);
        return resume({ ...upload, files }, resumedOptions(options, changed));
      },
    },
  );
}

function withMissing({ nodesMissing: _, ...stored }: UploadedFile, saved: UnsavedFile | undefined): UploadedFile {
  const missing = saved ? listMissingNodes(saved) : [];
  return missing.length === 0 ? stored : { ...stored, nodesMissing: missing };
}
