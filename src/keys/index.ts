export { type AccessConditions, kavachGetAccessConditions } from "./access/get-access-conditions.ts";
export { kavachSetAccessConditions, type SetAccessConditionsOptions } from "./access/set-access-conditions.ts";
export type { RevokeOptions, ShareOptions } from "./access/share.ts";
export { kavachRevoke, kavachSetDelegates, kavachShare } from "./access/share.ts";
export { kavachTransferOwnership, type TransferOwnershipOptions } from "./access/transfer-ownership.ts";
export type { OwnerCallOptions, OwnerChangeOptions, OwnerOptions } from "./auth/owner.ts";
export type { GetJwtOptions, Jwt, RefreshJwtOptions } from "./auth/sign-in.ts";
export { kavachGetAuthMessage, kavachGetJwt, kavachRefreshJwt } from "./auth/sign-in.ts";
export type { CoreumCondition, EvmCondition, RadixCondition, SolanaCondition } from "./conditions/chains.ts";
export type {
  AccessCondition,
  ChainType,
  ChainTypeOption,
  ConditionList,
  ConditionOf,
  ConditionsByChainType,
  DecryptionType,
  DecryptionTypeOption,
} from "./conditions/check-conditions.ts";
export type { AnyCase, Comparator, Json, SolidityType } from "./conditions/fields.ts";
export type { InspectOptions, KeyHealth, KeyState, NodeHealth, NodeState, SharingInfo } from "./file-keys/inspect.ts";
export { kavachInspect } from "./file-keys/inspect.ts";
export type { KeyProofOptions, KeyReport, RecoverFileKeyOptions } from "./file-keys/recover-file-key.ts";
export type {
  FetchShardsOptions,
  RecoveredShard,
  RecoveredShards,
  RecoverShardsOptions,
} from "./file-keys/recover-shards.ts";
export { kavachRecoverShards } from "./file-keys/recover-shards.ts";
export {
  type KeyRepair,
  kavachRepair,
  type NodeRepair,
  type RepairOptions,
  type UnfinishedRepair,
} from "./file-keys/repair.ts";
export type { AccessOptions, AccessRuleOptions, SaveOnOptions } from "./file-keys/save-keys.ts";
export { kavachSaveShards, type SaveShardsOptions } from "./file-keys/save-shards.ts";
export type { CallKind } from "./nodes/call-entry.ts";
export type { KeyNodeOptions, Pacing } from "./nodes/node-client.ts";
export type { CompletedNodes } from "./nodes/run-on-all-nodes.ts";
export { kavachGenerate, kavachShardKey, type ShardOptions } from "./shards/generate.ts";
export { kavachRecoverKey, type RecoveredKey, type RecoverKeyOptions } from "./shards/recover.ts";
export type { FiveShards, KeyShard, ShardScheme } from "./shards/schemes.ts";
