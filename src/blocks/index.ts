export type { ByteRange } from "./byte-range.ts";
export type { GatewayReport } from "./gateways.ts";
export { type OpenFileOptions, openFile } from "./open.ts";
export type { OpenFile } from "./open-file.ts";
