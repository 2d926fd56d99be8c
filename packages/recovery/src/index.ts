export type { RecoveryEntry } from "keeplight/parts";
export {
  type FilesToRecover,
  type FileToRecover,
  type KitFailure,
  type KitOutput,
  type KitTarget,
  type MadeKit,
  makeRecoveryKit,
  type RecoveryKitOptions,
} from "./make-recovery-kit.ts";
export { type OpenKitOptions, openRecoveryKit, type RecoveryKit, type UnreadKitFile } from "./open-recovery-kit.ts";
export {
  makeRecoveryPages,
  type RecoveryPages,
  type RecoveryPagesOptions,
  restoreRecoveryIdentity,
} from "./recovery-pages.ts";
export { createShareLink, openShareLink, type SharedFile, type ShareLinkOptions } from "./share-link.ts";
