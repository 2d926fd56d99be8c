export {
  type KitOutput,
  type KitTarget,
  makeRecoveryKit,
  type OpenKitOptions,
  openRecoveryKit,
  type RecoveryKitOptions,
} from "./kit.ts";
export type { SharedFile } from "./link-format.ts";
export type { RecoveryPages } from "./page-format.ts";
export {
  createRecoveryIdentity,
  makeRecoveryPages,
  type RecoveryIdentity,
  type RecoveryPagesOptions,
  restoreRecoveryIdentity,
} from "./pages.ts";
export type { RecoveryKit, UnreadKitFile } from "./read-kit.ts";
export { createShareLink, openShareLink, type ShareLinkOptions } from "./share-link.ts";
export type { FilesToRecover, FileToRecover, KitFailure, MadeKit } from "./write-kit.ts";
