import { resolvePart } from "../base/operation.ts";
import { kavachGetAccessConditions } from "../kavach/access/get-access-conditions.ts";
import { resolveOwner } from "../kavach/auth/owner.ts";
import {
  type KeyProofOptions,
  type RecoverFileKeyOptions,
  recoverFileKeySchema,
  searchFileKey,
} from "../kavach/keys/recover-file-key.ts";
import { keyNodeOptionNames, openKeyNodes } from "../kavach/nodes/node-client.ts";
import {
  mergeResumeOptions,
  type OwnerCallOptions,
  ownerCallNames,
  ownerCallSchema,
} from "../kavach/nodes/owner-call.ts";
import { decrypt } from "../transfer/download/decrypt.ts";
import { createProgress } from "../transfer/progress.ts";

/**
 * The calls that folders are read and changed by, and names of their options, for code that is loaded on demand: if it imported them, bundlers would
 * split them from what a page loads at once.
 */
export const folderCalls = {
  createProgress,
  decrypt,
  kavachGetAccessConditions,
  keyNodeOptionNames,
  mergeResumeOptions,
  ownerCallNames,
  resolveOwner(options: OwnerCallOptions) {
    const account = resolvePart(ownerCallSchema, options);
    return resolveOwner(account, openKeyNodes(account));
  },
  searchFileKey: (cid: string, options: RecoverFileKeyOptions, proof?: KeyProofOptions) =>
    searchFileKey(cid, resolvePart(recoverFileKeySchema, options), proof),
} as const;

/** The type of {@link folderCalls}. */
export type FolderCalls = typeof folderCalls;
