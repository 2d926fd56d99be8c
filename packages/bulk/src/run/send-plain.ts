import { isKeeplightError } from "keeplight";
import { callSchema, hashFolder, isKnown, pickOptions, sendFolder } from "keeplight/parts";
import type { RowChange } from "../ledger/types.ts";
import type { BatchFile } from "./batch-files.ts";
import type { BatchSender, Sender } from "./run-batch.ts";
import type { ResolvedUpload } from "./upload-options.ts";

/**
 * Creates what sends batches of files as they are. Each batch is stored as one folder, whose content id covers all of its
 * files: the upload node's response is accepted only if it names the id that was computed while the files were sent.
 */
export function createPlainSender(upload: ResolvedUpload): Sender {
  const sender: BatchSender = {
    async recover(_rows, files, signal) {
      if (files.length === 0) return [];
      const hashed = await hashReadable(files, upload.cidVersion, signal);
      for (const root of hashed?.roots ?? []) {
        if (!(await isKnown(root, { ...pickOptions(upload, callSchema), signal }))) continue;
        return files.map((file, at) => toStored(file, hashed?.cids[at], root));
      }
      return [];
    },
    prepare: async () => undefined,
    async send(files, signal) {
      const { cids, root } = await sendFolder(files, { ...upload, signal });
      return files.map((file, at) => toStored(file, cids[at], root));
    },
    saveKeys: async () => [],
    settle: async () => undefined,
    close: async () => undefined,
  };
  return { open: async () => undefined, startBatch: async () => sender };
}

function toStored({ row }: BatchFile, cid: string | undefined, root: string | undefined): RowChange {
  return {
    index: row.index,
    from: "sent",
    to: "stored",
    ...(cid === undefined ? {} : { cid }),
    ...(root === undefined ? {} : { root }),
  };
}

/** Computes the content ids of files and of their folder; `undefined` if a file cannot be read. */
async function hashReadable(files: readonly BatchFile[], cidVersion: 0 | 1, signal: AbortSignal) {
  try {
    return await hashFolder(files, cidVersion, signal);
  } catch (error) {
    // Sending it fails for the same reason, which is recorded then.
    if (isKeeplightError(error) && error.code !== "ABORTED") return undefined;
    throw error;
  }
}
