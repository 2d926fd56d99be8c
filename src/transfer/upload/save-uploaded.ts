import { resolvePart } from "../../base/operation.ts";
import { KEY_NODE_COUNT } from "../../config/limits.ts";
import { isKeeplightError } from "../../errors/base.ts";
import { shardsNotSaved } from "../../errors/nodes.ts";
import { recoveryNotWritten } from "../../errors/recovery.ts";
import { UnfinishedError } from "../../errors/unfinished.ts";
import { resolveOwner } from "../../kavach/auth/owner.ts";
import {
  accessSchema,
  createKeyRequest,
  type KeyRequest,
  resolveSavingRule,
  type SavingRule,
  saveOnSchema,
} from "../../kavach/keys/key-request.ts";
import { listMissingNodes, saveKeys, type UnsavedFile } from "../../kavach/keys/save-keys.ts";
import { type KeyNodes, type NodeAuth, openKeyNodes } from "../../kavach/nodes/node-client.ts";
import { ownerCallSchema } from "../../kavach/nodes/owner-call.ts";
import type { RecoveryKey } from "../../recovery-file/entry.ts";
import type { Recorder } from "../../recovery-file/recorder.ts";
import type { ProgressReporter } from "../progress.ts";
import {
  createUploadProgress,
  mergeUploadOptions,
  type ResumeUploadOptions,
  type UploadEncryptedOptions,
} from "./encrypted-upload-options.ts";
import type { UploadRecord } from "./upload-record.ts";
import type { UploadedFile, UploadedFiles } from "./upload-response.ts";

/** An upload whose files are stored. */
export interface StoredUpload {
  stored: readonly UploadedFile[];
  files: readonly UnsavedFile[];
  record: UploadRecord;
  /** What is still to be added to a recovery kit, if the options name one. */
  kitEntries: readonly RecoveryKey[];
}

/** What saving keys requires, resolved from the options before anything can be lost. */
export interface Saving {
  nodes: KeyNodes;
  auth: NodeAuth;
  requestFor: KeyRequest;
  rule: SavingRule;
  recorder: Recorder | undefined;
  progress: ProgressReporter;
}

/** Resolves the options of saving keys; throws what each of them throws. */
export async function prepareSaving(options: UploadEncryptedOptions): Promise<Saving> {
  const account = resolvePart(ownerCallSchema, options);
  const nodes = openKeyNodes(account);
  const auth = await resolveOwner(account, nodes);
  return {
    nodes,
    auth,
    requestFor: await createKeyRequest(resolvePart(accessSchema, options)),
    rule: resolveSavingRule(resolvePart(saveOnSchema, options)),
    recorder: await prepareRecorder(options),
    progress: createUploadProgress(options),
  };
}

/** Loads what adds to a recovery kit only if the options name one. */
async function prepareRecorder(options: UploadEncryptedOptions): Promise<Recorder | undefined> {
  if (options.recovery === undefined && options.recoveryTo === undefined) return undefined;
  const { createRecorder } = await import("../../recovery-file/recorder.ts");
  return createRecorder(options, options.signal);
}

/**
 * Adds the keys to the recovery kit, if there is one, and saves the remaining key shards of all files. A failure of the
 * former does not prevent the latter. After any failure, the error can resume the rest.
 */
export async function saveUploadKeys(
  upload: StoredUpload,
  options: UploadEncryptedOptions,
  saving: Saving,
): Promise<UploadedFiles> {
  const { stored, record } = upload;
  const { progress } = saving;
  const total = stored.length * KEY_NODE_COUNT;
  const onSaved = (shards: number, index: number, node: number) => {
    record.save(index, node);
    progress.report("saving-keys", shards, total);
  };
  const unwritten = await addToKit(upload.kitEntries, saving.recorder);
  const unsaved = upload.files.map((file, at) => ({ ...file, shareTo: record.shareTo(at) }));
  const { files, error } = await saveKeys(unsaved, { ...saving, onSaved });
  const rest = { ...upload, files, kitEntries: unwritten ? upload.kitEntries : [] };
  const resume = async (changed: ResumeUploadOptions) => {
    const resumed = mergeUploadOptions(options, changed);
    const again = await prepareSaving(resumed);
    return record.resume(() => saveUploadKeys(rest, resumed, again));
  };
  if (error === undefined && unwritten) {
    const { code, message, cause } = isKeeplightError(unwritten.error, "ABORTED")
      ? unwritten.error
      : recoveryNotWritten(unwritten.error);
    const details = { stored };
    throw new UnfinishedError<UploadedFiles, ResumeUploadOptions>(code, message, { details, cause, resume });
  }
  if (error === undefined) {
    progress.done();
    // One for each file that was sent; there is at least one.
    return stored.map((file, at) => withMissing(file, files[at])) as UploadedFiles;
  }
  const { code, message } = isKeeplightError(error, "ABORTED") ? error : shardsNotSaved(error);
  const node = isKeeplightError(error) ? error.details["node"] : undefined;
  const unfinished = files.flatMap((file, at) =>
    listMissingNodes(file).length === 0 ? [] : [{ Name: stored[at]?.Name, Hash: file.cid, nodesDone: file.nodesDone }],
  );
  throw new UnfinishedError<UploadedFiles, ResumeUploadOptions>(code, message, {
    details: { node, unfinished },
    cause: error,
    resume,
  });
}

/** Adds entries to the recovery kit; returns a failure instead of throwing it. */
async function addToKit(
  entries: readonly RecoveryKey[],
  recorder: Recorder | undefined,
): Promise<{ error: unknown } | undefined> {
  if (!recorder || entries.length === 0) return undefined;
  try {
    await recorder.write(entries);
    return undefined;
  } catch (error) {
    return { error };
  }
}

function withMissing({ nodesMissing: _, ...stored }: UploadedFile, saved: UnsavedFile | undefined): UploadedFile {
  const missing = saved ? listMissingNodes(saved) : [];
  return missing.length === 0 ? stored : { ...stored, nodesMissing: missing };
}
