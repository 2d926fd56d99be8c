// What the package exports of these.
export { type BytesOptions, decryptBytes, encryptBytes } from "./crypto/bytes.ts";
export { commitToKey } from "./crypto/commitment.ts";
export { createRecoveryIdentity, type RecoveryIdentity } from "./recovery-file/identity.ts";
export type { RecoveryOptions, StoreRecovery } from "./recovery-file/recorder-options.ts";
