export { createRecoveryIdentity, type RecoveryIdentity } from "./identity.ts";
export type {
  KitFailure,
  KitOutput,
  KitTarget,
  MadeKit,
  OpenKitOptions,
  RecoveryKit,
  RecoveryKitOptions,
  UnreadKitFile,
} from "./kit-options.ts";
export type { FileToRecover } from "./list-keys.ts";
export { type FilesToRecover, makeRecoveryKit } from "./make-kit.ts";
export { openRecoveryKit } from "./open-kit.ts";
export { makeRecoveryPages, restoreRecoveryIdentity } from "./pages.ts";
export type { RecoveryPages, RecoveryPagesOptions } from "./pages-options.ts";
export { createShareLink, openShareLink } from "./share-link.ts";
export type { SharedFile, ShareLinkOptions } from "./share-link-options.ts";
