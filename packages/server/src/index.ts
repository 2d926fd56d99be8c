export type { Authorization, Authorize } from "./access.ts";
export type { UploadForm } from "./form.ts";
export type { UploadLimits } from "./limits.ts";
export { createUploadHandler, type UploadHandlerOptions } from "./upload-handler.ts";
