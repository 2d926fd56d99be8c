export type { ByteRange } from "../../blocks/byte-range.ts";
export type { GatewayReport } from "../../blocks/gateways.ts";
export type { OpenFile } from "../../blocks/open-file.ts";
export { type DecryptOptions, decrypt } from "./decrypt.ts";
export { type DownloadOptions, download } from "./download.ts";
export { openEncrypted } from "./open-encrypted.ts";
export type { OpenEncryptedOptions } from "./open-encrypted-options.ts";
export { type OpenFileOptions, openFile } from "./open-file.ts";
export type { AsBlob, AsBytes, AsStream, OutputOptions, ToPath } from "./output.ts";
