export type { Authorization } from "./authorize.ts";
export type { UploadLimits } from "./limits.ts";
export { createUploadHandler, type UploadHandlerOptions } from "./upload-handler.ts";
