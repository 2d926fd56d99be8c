export { type CreateApiKeyOptions, createApiKey, getAuthMessage } from "./account/api-key.ts";
export { defaultEndpoints, type Endpoints } from "./config/endpoints.ts";
export { decryptBytes, encryptBytes } from "./crypto/bytes.ts";
export { isKeeplightError, KeeplightError } from "./errors/base.ts";
export type { ErrorCode } from "./errors/codes.ts";
export type { NodeFailure } from "./errors/nodes.ts";
export { UnfinishedError } from "./errors/unfinished.ts";
export type { Signer } from "./input/signer.ts";
export type { NodesDone, OwnerCallOptions } from "./kavach/all-nodes.ts";
export {
  type GetJwtOptions,
  type Jwt,
  kavachGetAuthMessage,
  kavachGetJwt,
  kavachRefreshJwt,
  type RefreshJwtOptions,
} from "./kavach/auth.ts";
export type { KeyNodeOptions } from "./kavach/node-client.ts";
export type { OwnerOptions } from "./kavach/owner.ts";
export type { KeyReport } from "./kavach/recover-file-key.ts";
export {
  kavachRecoverShards,
  type RecoveredShard,
  type RecoveredShards,
  type RecoverShardsOptions,
} from "./kavach/recover-shards.ts";
export { kavachRevoke, type RevokeOptions } from "./kavach/revoke.ts";
export { kavachSaveShards, type SaveShardsOptions } from "./kavach/save-shards.ts";
export { kavachGenerate, kavachShardKey, type ShardOptions } from "./kavach/shards/generate.ts";
export { kavachRecoverKey, type RecoveredKey, type RecoverKeyOptions } from "./kavach/shards/recover.ts";
export type { KeyShard, ShardScheme } from "./kavach/shards/sharing.ts";
export { kavachShare, type ShareOptions } from "./kavach/share.ts";
export { createKit, type Kit, type KitDefaults } from "./kit.ts";
export type { BearerOptions, CallOptions } from "./options.ts";
export type { SavedFile } from "./platform/contract.ts";
export { type DecryptOptions, decrypt } from "./storage/decrypt.ts";
export { type DownloadOptions, download } from "./storage/download.ts";
export type { AsBlob, AsBytes, AsStream, OutputOptions, ToPath } from "./storage/output.ts";
export type { OnProgress, Progress, ProgressPhase } from "./storage/progress.ts";
export type { CidVersion } from "./storage/send.ts";
export type { NamedStream, SingleSource, Source } from "./storage/source.ts";
export { type UploadOptions, upload, uploadBuffer, uploadText } from "./storage/upload.ts";
export type { UploadedFile } from "./storage/upload-answer.ts";
export {
  type ResumeUploadOptions,
  type UnfinishedUpload,
  type UploadEncryptedOptions,
  uploadEncrypted,
  uploadTextEncrypted,
} from "./storage/upload-encrypted.ts";
