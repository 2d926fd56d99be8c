export { type DecryptOptions, decrypt } from "./decrypt.ts";
export { type DownloadOptions, download } from "./download.ts";
export type { AsBlob, AsBytes, AsStream, OutputOptions, ToPath } from "./output.ts";
