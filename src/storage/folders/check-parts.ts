import { mapInOrder } from "../../base/async/map-in-order.ts";
import { KEY_NODE_CONCURRENCY } from "../../base/config/limits.ts";
import { isKeeplightError, type KeeplightError } from "../../base/errors/base.ts";
import { invalidFolder } from "../../base/errors/folder.ts";
import { aborted } from "../../base/errors/transport.ts";
import { resolvePart } from "../../base/operation.ts";
import type { FolderManifest } from "../../formats/folder-file/manifest.ts";
import { createProver } from "../../formats/folder-file/prove-author.ts";
import { recoverFileKeySchema, searchFileKey } from "../../keys/file-keys/recover-file-key.ts";
import type { OwnerChangeOptions } from "../../keys/nodes/owner-call.ts";

/** One file of a folder, or its manifest, whose path is empty. */
export interface FolderPart {
  path: string;
  cid: string;
}

/** Checks parts of a folder that are not checked yet. Resolves to the errors of those that could not be, by content id. */
export type PartCheck = (
  parts: readonly FolderPart[],
  options: OwnerChangeOptions,
) => Promise<ReadonlyMap<string, KeeplightError>>;

/**
 * Creates the check that a folder has to pass before access to its files changes: who wrote its manifest had the key of
 * each file. Otherwise a manifest that someone else wrote and transferred to this account could name any file of it.
 *
 * The check throws `INVALID_FOLDER` as soon as one file fails it.
 */
export async function createPartCheck(cid: string, { proofs, ...manifest }: FolderManifest): Promise<PartCheck> {
  const prove = await createProver(manifest);
  const unchecked = new Map(manifest.files.map(({ cid, commitment }, at) => [cid, { commitment, proof: proofs[at] }]));

  async function checkPart(part: FolderPart, options: OwnerChangeOptions): Promise<KeeplightError | undefined> {
    const expected = unchecked.get(part.cid);
    if (!expected) return undefined;
    const refuse = () => invalidFolder(cid, `who wrote it did not have the key of ${JSON.stringify(part.path)}`);
    try {
      if (options.signal?.aborted) throw aborted(options.signal.reason);
      const { commitment } = expected;
      const search = await searchFileKey(part.cid, resolvePart(recoverFileKeySchema, options), { commitment });
      for await (const key of search.keys()) {
        if ((await prove(part.cid, key)) !== expected.proof) throw refuse();
      }
      unchecked.delete(part.cid);
      return undefined;
    } catch (error) {
      if (!isKeeplightError(error)) return aborted(error);
      if (error.code === "COMMITMENT_MISMATCH") throw refuse();
      if (error.code === "INVALID_FOLDER") throw error;
      return error;
    }
  }

  return async (parts, options) => {
    const errors = new Map<string, KeeplightError>();
    const check = async (part: FolderPart) => {
      const error = await checkPart(part, options);
      if (error) errors.set(part.cid, error);
    };
    // Aborted by each check itself: the parts of a change that is resumed must stay listed as unfinished.
    for await (const _ of mapInOrder(parts, { limit: KEY_NODE_CONCURRENCY, signal: undefined }, check));
    return errors;
  };
}
