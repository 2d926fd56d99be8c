export type { GatewayReport } from "./gateways.ts";
export { type OpenFileOptions, openFile } from "./open.ts";
export type { ByteRange, OpenFile } from "./open-file.ts";
