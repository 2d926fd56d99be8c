export { type AccessConditions, kavachGetAccessConditions } from "./access/get-access-conditions.ts";
export { kavachRevoke, type RevokeOptions } from "./access/revoke.ts";
export { kavachSetAccessConditions, type SetAccessConditionsOptions } from "./access/set-access-conditions.ts";
export { kavachSetDelegates } from "./access/set-delegates.ts";
export { kavachShare, type ShareOptions } from "./access/share.ts";
export { kavachTransferOwnership, type TransferOwnershipOptions } from "./access/transfer-ownership.ts";
export {
  type GetJwtOptions,
  kavachGetAuthMessage,
  kavachGetJwt,
  kavachRefreshJwt,
  type RefreshJwtOptions,
} from "./auth/auth-calls.ts";
export type { OwnerOptions } from "./auth/owner.ts";
export type { Jwt } from "./auth/sign-in.ts";
export {
  type InspectOptions,
  type KeyHealth,
  kavachInspect,
  type NodeHealth,
  type NodeState,
} from "./file-keys/inspect.ts";
export type { AccessOptions, AccessRuleOptions, SaveOnOptions } from "./file-keys/key-request.ts";
export type { KeyProofOptions, KeyReport, RecoverFileKeyOptions } from "./file-keys/recover-file-key.ts";
export { kavachRecoverShards, type RecoveredShards, type RecoverShardsOptions } from "./file-keys/recover-shards.ts";
export { kavachRepair, type RepairOptions } from "./file-keys/repair.ts";
export type { KeyRepair, NodeRepair, UnfinishedRepair } from "./file-keys/save-repaired.ts";
export { kavachSaveShards, type SaveShardsOptions } from "./file-keys/save-shards.ts";
export type { FetchShardsOptions, RecoveredShard } from "./file-keys/shard-fetcher.ts";
export type { KeyNodeOptions, Pacing } from "./nodes/node-client.ts";
export type { OwnerCallOptions, OwnerChangeOptions } from "./nodes/owner-call.ts";
export type { KeyState, SharingInfo } from "./nodes/query-nodes.ts";
export type { CompletedNodes } from "./nodes/run-on-all-nodes.ts";
export type { CallKind } from "./nodes/supersede.ts";
export { kavachGenerate, kavachShardKey, type ShardOptions } from "./shards/generate.ts";
export { kavachRecoverKey, type RecoveredKey, type RecoverKeyOptions } from "./shards/recover.ts";
export type { FiveShards, KeyShard, ShardScheme } from "./shards/sharing.ts";
