export type { Authorization, Authorize } from "../access.ts";
export type { UploadForm } from "../form.ts";
export type { UploadLimits } from "../limits.ts";
export { createResumableHandler, type ResumableHandler, type ResumableHandlerOptions } from "./handler.ts";
