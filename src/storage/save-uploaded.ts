import { KEY_NODE_COUNT } from "../config/limits.ts";
import { KeeplightError } from "../errors/base.ts";
import { UnfinishedError } from "../errors/unfinished.ts";
import { checkOptions } from "../input/check-options.ts";
import { resumedOptions } from "../kavach/all-nodes.ts";
import { type KeyNodes, resolveKeyNodes } from "../kavach/node-client.ts";
import { type NodeAuth, resolveOwner } from "../kavach/owner.ts";
import { type SavingRule, savingRule } from "../kavach/save-shards.ts";
import {
  type ResumeUploadOptions,
  resumeUploadNames,
  type UploadEncryptedOptions,
  uploadProgress,
} from "./encrypted-upload-options.ts";
import { type KeyRequest, keyRequestOf } from "./key-request.ts";
import type { ProgressTeller } from "./progress.ts";
import { nodesMissing, saveKeys, type UnsavedFile } from "./save-keys.ts";
import type { UploadedFile, UploadedFiles } from "./upload-answer.ts";

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
  progress: ProgressTeller;
}

/** Resolves the options of saving keys; throws what each of them throws. */
export async function savingOf(options: UploadEncryptedOptions): Promise<Saving> {
  const nodes = resolveKeyNodes(options);
  const auth = await resolveOwner(options, nodes);
  return {
    nodes,
    auth,
    requestFor: await keyRequestOf(options),
    rule: savingRule(options),
    progress: uploadProgress(options),
  };
}

async function resume(upload: StoredUpload, options: UploadEncryptedOptions): Promise<UploadedFiles> {
  return saveAll(upload, options, await savingOf(options));
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
  const onSaved = (shards: number) => progress.tell("saving-keys", shards, total);
  const { files, error } = await saveKeys(upload.files, { ...saving, onSaved });
  if (error === undefined) {
    progress.done();
    // One for each file that was sent, of which there is at least one.
    return stored.map((file, at) => withMissing(file, files[at])) as UploadedFiles;
  }
  const known = error instanceof KeeplightError ? error : undefined;
  const unfinished = files.flatMap((file, at) =>
    nodesMissing(file).length === 0 ? [] : [{ Name: stored[at]?.Name, Hash: file.cid, nodesDone: file.nodesDone }],
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
  const missing = saved ? nodesMissing(saved) : [];
  return missing.length === 0 ? stored : { ...stored, nodesMissing: missing };
}
