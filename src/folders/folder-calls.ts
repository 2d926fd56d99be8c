import { kavachGetAccessConditions } from "../kavach/access/get-access-conditions.ts";
import { resolveOwner } from "../kavach/auth/owner.ts";
import { searchFileKey } from "../kavach/keys/recover-file-key.ts";
import { mergeResumeOptions } from "../kavach/nodes/merge-options.ts";
import { keyNodeOptionNames, resolveKeyNodes } from "../kavach/nodes/node-client.ts";
import { ownerCallNames } from "../kavach/nodes/owner-call.ts";
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
  resolveKeyNodes,
  resolveOwner,
  searchFileKey,
} as const;

/** The type of {@link folderCalls}. */
export type FolderCalls = typeof folderCalls;
