export type { Authorization, Authorize } from "./access.ts";
export type { UploadForm } from "./form.ts";
export type { UploadLimits } from "./limits.ts";
export type { UploadHandlerOptions } from "./options.ts";
export { createUploadHandler } from "./upload-handler.ts";
