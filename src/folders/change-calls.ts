import { resolveOwner } from "../kavach/auth/owner.ts";
import { mergeResumeOptions } from "../kavach/nodes/merge-options.ts";
import { resolveKeyNodes } from "../kavach/nodes/node-client.ts";
import { createProgress } from "../transfer/progress.ts";
import type { ChangeCalls } from "./change-folder.ts";
import { readEncryptedFolder } from "./read-encrypted-folder.ts";

/** What each change of who may open a folder is made of. */
export const changeCalls = {
  read: readEncryptedFolder,
  createProgress,
  mergeResumeOptions,
  resolveKeyNodes,
  resolveOwner,
} as const satisfies Omit<ChangeCalls, "change">;
