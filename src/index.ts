export { type CreateApiKeyOptions, createApiKey, getAuthMessage } from "./account/api-key.ts";
export { createOneTimeToken, getOneTimeMessage, type OneTimeTokenOptions } from "./account/one-time-token.ts";
export { type CreatedWallet, type CreateWalletOptions, createWallet } from "./account/wallet.ts";
export { defaultEndpoints, type Endpoints } from "./config/endpoints.ts";
export {
  type NetworkName,
  networks,
  type PaymentNetwork,
  type PaymentToken,
  type StableToken,
  type TokenContract,
} from "./config/networks.ts";
export { type BytesOptions, decryptBytes, encryptBytes } from "./crypto/bytes.ts";
export { isKeeplightError, KeeplightError, type KeeplightErrorOptions } from "./errors/base.ts";
export type { ErrorCode } from "./errors/codes.ts";
export type { NodeFailure } from "./errors/nodes.ts";
export { UnfinishedError } from "./errors/unfinished.ts";
export type { SigningOptions } from "./input/sign-in-message.ts";
export type { Signer } from "./input/signer.ts";
export {
  type IpnsKey,
  ipnsGenerateKey,
  ipnsRemoveKey,
  type RemovedIpnsKey,
  type RemovedIpnsKeys,
} from "./ipns/keys.ts";
export {
  type IpnsPublishOptions,
  type IpnsRecord,
  ipnsListRecords,
  ipnsPublishRecord,
  type PublishedRecord,
} from "./ipns/records.ts";
export type { AccessRuleOptions } from "./kavach/access-request.ts";
export type { NodesDone, OwnerCallOptions } from "./kavach/all-nodes.ts";
export {
  type GetJwtOptions,
  type Jwt,
  kavachGetAuthMessage,
  kavachGetJwt,
  kavachRefreshJwt,
  type RefreshJwtOptions,
} from "./kavach/auth.ts";
export type {
  AccessCondition,
  ChainType,
  ChainTypeOption,
  ConditionList,
  ConditionOf,
  ConditionsByChainType,
  DecryptionType,
  DecryptionTypeOption,
} from "./kavach/conditions/chain-types.ts";
export type { CoreumCondition } from "./kavach/conditions/coreum.ts";
export type { EvmCondition } from "./kavach/conditions/evm.ts";
export { type ExplainOptions, explainConditions } from "./kavach/conditions/explain.ts";
export type { AnyCase, Comparator, Json } from "./kavach/conditions/fields.ts";
export type { ConditionProblem } from "./kavach/conditions/invalid-condition.ts";
export type { RadixCondition } from "./kavach/conditions/radix.ts";
export {
  type SimulatedCondition,
  type SimulatedValue,
  type SimulateOptions,
  type Simulation,
  simulateConditions,
} from "./kavach/conditions/simulate.ts";
export type { SolanaCondition } from "./kavach/conditions/solana.ts";
export type { SolidityType } from "./kavach/conditions/solidity-types.ts";
export { type AccessConditions, kavachGetAccessConditions } from "./kavach/get-access-conditions.ts";
export {
  type InspectOptions,
  type KeyHealth,
  kavachInspect,
  type NodeHealth,
  type NodeState,
} from "./kavach/inspect.ts";
export type { KeyNodeOptions } from "./kavach/node-client.ts";
export type { OwnerOptions } from "./kavach/owner.ts";
export type { KeyReport, RecoverFileKeyOptions } from "./kavach/recover-file-key.ts";
export {
  type FetchShardsOptions,
  kavachRecoverShards,
  type RecoveredShard,
  type RecoveredShards,
  type RecoverShardsOptions,
} from "./kavach/recover-shards.ts";
export {
  type KeyRepair,
  kavachRepair,
  type NodeRepair,
  type RepairOptions,
  type UnfinishedRepair,
} from "./kavach/repair.ts";
export { kavachRevoke, type RevokeOptions } from "./kavach/revoke.ts";
export { kavachSaveShards, type SaveOnOptions, type SaveShardsOptions } from "./kavach/save-shards.ts";
export { kavachSetAccessConditions, type SetAccessConditionsOptions } from "./kavach/set-access-conditions.ts";
export { kavachGenerate, kavachShardKey, type ShardOptions } from "./kavach/shards/generate.ts";
export { kavachRecoverKey, type RecoveredKey, type RecoverKeyOptions } from "./kavach/shards/recover.ts";
export type { KeyShard, ShardScheme } from "./kavach/shards/sharing.ts";
export { kavachShare, type ShareOptions } from "./kavach/share.ts";
export type { KeyState, SharingTold } from "./kavach/survey.ts";
export { kavachTransferOwnership, type TransferOwnershipOptions } from "./kavach/transfer-ownership.ts";
export { createKit, type Kit, type KitDefaults } from "./kit.ts";
export type { BearerOptions, CallOptions } from "./options.ts";
export { type DiscoveredWallet, type DiscoverWalletsOptions, discoverWallets } from "./payment/discover-wallets.ts";
export type { NetworkOptions } from "./payment/network.ts";
export {
  type AmountOptions,
  type FeeOptions,
  type PayerOptions,
  type Payment,
  type PaymentProgress,
  type PaymentStep,
  type PaymentTransaction,
  type PayOptions,
  payWithToken,
  type ReceivedPayment,
  type ResumePaymentOptions,
  type UnfinishedPayment,
  type WaitOptions,
} from "./payment/pay.ts";
export type { Price, PriceOptions, RateOptions } from "./payment/price.ts";
export type { Eip1193Provider, PaymentSigner, TransactionFields, TransactionSigner } from "./payment/signer.ts";
export { getTicker } from "./payment/ticker.ts";
export type { SavedFile } from "./platform/contract.ts";
export type { InclusionProof, MerklePath, ProofAnswer } from "./proof/read-proof.ts";
export { type VerifiedDeal, type VerifiedInclusion, type VerifiedProof, verifyProof } from "./proof/verify-proof.ts";
export { type Deal, getDealStatus } from "./storage/deal-status.ts";
export { type DecryptOptions, decrypt } from "./storage/decrypt.ts";
export { type DeletedFile, deleteFile } from "./storage/delete-file.ts";
export { type DownloadOptions, download } from "./storage/download.ts";
export type {
  ResumeUploadOptions,
  UnfinishedUpload,
  UploadEncryptedOptions,
} from "./storage/encrypted-upload-options.ts";
export { type FileInfo, getFileInfo } from "./storage/file-info.ts";
export type { AccessOptions } from "./storage/key-request.ts";
export {
  type FilePage,
  iterateFiles,
  type ListedFile,
  type ListFilesOptions,
  listFiles,
} from "./storage/list-files.ts";
export type { AsBlob, AsBytes, AsStream, OutputOptions, ToPath } from "./storage/output.ts";
export { type GetPriceOptions, getPrice } from "./storage/price.ts";
export type { OnProgress, Progress, ProgressPhase } from "./storage/progress.ts";
export { getProof, type Proof } from "./storage/proof.ts";
export { getQuote, type Quote, type QuotedFile, type QuoteOptions } from "./storage/quote.ts";
export type { CidVersion } from "./storage/send.ts";
export type { ListOfFiles, NamedStream, PieceStream, SingleSource, Source } from "./storage/source.ts";
export { type UploadOptions, upload, uploadBuffer, uploadText } from "./storage/upload.ts";
export type { UploadedFile, UploadedFiles } from "./storage/upload-answer.ts";
export { type UploadCarOptions, uploadCar } from "./storage/upload-car.ts";
export { uploadEncrypted, uploadTextEncrypted } from "./storage/upload-encrypted.ts";
export { getBalance, type Usage } from "./storage/usage.ts";
