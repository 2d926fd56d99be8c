export { createRecoveryIdentity, type RecoveryIdentity } from "./identity.ts";
export type { SharedFile } from "./link-format.ts";
export type { FileToRecover } from "./list-keys.ts";
export {
  type FilesToRecover,
  type KitOutput,
  type KitTarget,
  makeRecoveryKit,
  type RecoveryKitOptions,
} from "./make-kit.ts";
export { type OpenKitOptions, openRecoveryKit } from "./open-kit.ts";
export type { RecoveryPages } from "./page-format.ts";
export { makeRecoveryPages, type RecoveryPagesOptions, restoreRecoveryIdentity } from "./pages.ts";
export type { RecoveryKit, UnreadKitFile } from "./read-kit.ts";
export { createShareLink, openShareLink, type ShareLinkOptions } from "./share-link.ts";
export type { KitFailure, MadeKit } from "./write-kit.ts";
