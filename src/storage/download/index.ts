export type { GatewayReport } from "../../network/blocks/gateways.ts";
export type { FolderEntry } from "../../network/blocks/list-entries.ts";
export type { ByteRange, OpenFile, StreamOptions } from "../../network/blocks/open-file.ts";
export type { VerifiedBy } from "../../network/blocks/read-whole.ts";
export type { DownloadReport } from "../../network/blocks/transfer.ts";
export { type DecryptOptions, decrypt } from "./decrypt.ts";
export { type DownloadOptions, download } from "./download.ts";
export {
  type ListFolderOptions,
  listFolder,
  type OpenEncryptedOptions,
  type OpenFileOptions,
  openEncrypted,
  openFile,
} from "./open-file.ts";
export type { AsBlob, AsBytes, AsStream, OutputOptions, ToPath, ToPathOrBytes } from "./output.ts";
