// Lists of what else there is of storage: no other module that a page may load later uses much of it. Uploads and downloads
// have lists of their own, as esbuild loads at once what any later chunk uses of a list.

export type { FolderFile, FolderManifest } from "../formats/folder-file/manifest.ts";
export { type FolderName, parseFolderName } from "../formats/folder-file/parse-folder-name.ts";
export {
  type CreateApiKeyOptions,
  createApiKey,
  createOneTimeToken,
  getAuthMessage,
  getOneTimeMessage,
  type OneTimeTokenOptions,
} from "./account/api-key.ts";
export { getBalance, type Usage } from "./account/usage.ts";
export { type Credit, type WaitForCreditOptions, waitForCredit } from "./account/wait-for-credit.ts";
export { type CreatedWallet, type CreateWalletOptions, createWallet } from "./account/wallet.ts";
export {
  type DeletedFile,
  type DeleteFileOptions,
  deleteFile,
  type FilePage,
  type IterateFilesOptions,
  iterateFiles,
  type ListedFile,
  type ListFilesOptions,
  listBlobs,
  listFiles,
  type PinnedCid,
  type PinOptions,
  pinCid,
} from "./files/account-files.ts";
export { type Deal, type FileInfo, getDealStatus, getFileInfo } from "./files/info.ts";
export {
  getProof,
  type InclusionProof,
  listPossessionProofs,
  type MerklePath,
  type PossessionProof,
  type Proof,
  type ProofResponse,
  requestPossessionProof,
} from "./files/proofs.ts";
export {
  type FolderChangeOptions,
  type ReadEncryptedFolderOptions,
  type RevokeFolderOptions,
  readEncryptedFolder,
  revokeEncryptedFolder,
  type ShareFolderOptions,
  shareEncryptedFolder,
  type UploadFolderOptions,
  uploadEncryptedFolder,
} from "./folders/folders.ts";
export type { EncryptedFolder, OpenedFolder, UnfinishedFolder } from "./folders/upload-folder.ts";
export {
  type IpnsKey,
  type IpnsPublishOptions,
  type IpnsRecord,
  ipnsGenerateKey,
  ipnsListRecords,
  ipnsPublishRecord,
  ipnsRemoveKey,
  type PublishedRecord,
  type RemovedIpnsKey,
  type RemovedIpnsKeys,
} from "./ipns/names.ts";
export type {
  FailedOperation,
  Journal,
  OpenJournalOptions,
  OpenOperation,
  Resumed,
  ResumedOperation,
  ResumeOperationOptions,
} from "./resume/journal.ts";
export { openJournal } from "./resume/open-journal.ts";
