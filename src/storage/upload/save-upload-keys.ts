import { KEY_NODE_COUNT } from "../../base/config/limits.ts";
import { isKeeplightError } from "../../base/errors/base.ts";
import { shardsNotSaved } from "../../base/errors/nodes.ts";
import { recoveryNotWritten } from "../../base/errors/recovery.ts";
import { UnfinishedError } from "../../base/errors/unfinished.ts";
import type { ResolvedCall } from "../../base/options.ts";
import type { CidVersion } from "../../formats/cid/content-id.ts";
import type { RecoveryKey } from "../../formats/recovery-file/entry.ts";
import type { Recorder as KitWriter } from "../../formats/recovery-file/recorder.ts";
import type { KeyRequest, SavingRule } from "../../keys/file-keys/key-request.ts";
import { listMissingNodes, saveKeys, type UnsavedFile } from "../../keys/file-keys/save-keys.ts";
import type { KeyNodes, NodeAuth } from "../../keys/nodes/node-client.ts";
import type { ProgressReporter } from "../progress.ts";
import type { UploadEntry } from "./upload-entry.ts";
import type { UploadedFile, UploadedFiles } from "./upload-response.ts";

/** One attempt of an encrypted upload: what its options are resolved to before anything can be lost. */
export interface Attempt {
  /** Of transfers. */
  call: ResolvedCall;
  cidVersion: CidVersion;
  /** Reject every content id that was not computed. */
  strict: boolean;
  nodes: KeyNodes;
  auth: NodeAuth;
  requestFor: KeyRequest;
  rule: SavingRule;
  kit: KitWriter | undefined;
  progress: ProgressReporter;
  /** Content ids that the caller vouches for, by name. */
  cids?: Readonly<Record<string, string>> | undefined;
  /** Prepares the attempt that a failed one is resumed with, by these changes of its options. */
  again(changed: object): Promise<Attempt>;
}

/** An upload whose files are stored. */
export interface StoredUpload {
  stored: readonly UploadedFile[];
  files: readonly UnsavedFile[];
  entry: UploadEntry;
  /** What is still to be added to a recovery kit, if the options name one. */
  kitEntries: readonly RecoveryKey[];
}

/**
 * Adds the keys to the recovery kit, if there is one, and saves the remaining key shards of all files. A failure of the
 * former does not prevent the latter. After any failure, the error can resume the rest.
 */
export async function saveUploadKeys(upload: StoredUpload, attempt: Attempt): Promise<UploadedFiles> {
  const { stored, entry } = upload;
  const { progress } = attempt;
  const total = stored.length * KEY_NODE_COUNT;
  const onSaved = (shards: number, index: number, node: number) => {
    entry.addNode(index, node);
    progress.report("saving-keys", shards, total);
  };
  const unwritten = await addToKit(upload.kitEntries, attempt.kit);
  const unsaved = upload.files.map((file, at) => ({ ...file, shareTo: entry.shareTo(at) }));
  const { files, error } = await saveKeys(unsaved, { ...attempt, onSaved });
  const rest = { ...upload, files, kitEntries: unwritten ? upload.kitEntries : [] };
  const resume = async (changed: object) => {
    const again = await attempt.again(changed);
    return entry.resume(() => saveUploadKeys(rest, again));
  };
  if (error === undefined && unwritten) {
    const { code, message, cause } = isKeeplightError(unwritten.error, "ABORTED")
      ? unwritten.error
      : recoveryNotWritten(unwritten.error);
    throw new UnfinishedError<UploadedFiles, object>(code, message, { details: { stored }, cause, resume });
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
  throw new UnfinishedError<UploadedFiles, object>(code, message, {
    details: { node, unfinished },
    cause: error,
    resume,
  });
}

/** Adds entries to the recovery kit; returns a failure instead of throwing it. */
async function addToKit(
  entries: readonly RecoveryKey[],
  kit: KitWriter | undefined,
): Promise<{ error: unknown } | undefined> {
  if (!kit || entries.length === 0) return undefined;
  try {
    await kit.write(entries);
    return undefined;
  } catch (error) {
    return { error };
  }
}

function withMissing({ nodesMissing: _, ...stored }: UploadedFile, saved: UnsavedFile | undefined): UploadedFile {
  const missing = saved ? listMissingNodes(saved) : [];
  return missing.length === 0 ? stored : { ...stored, nodesMissing: missing };
}
