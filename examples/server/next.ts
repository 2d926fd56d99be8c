/** Next.js: `app/api/upload/route.ts`. */
import { handleUpload } from "./handle-upload.ts";

export const POST = handleUpload;

/** Seconds that a deployment may take for an upload, if it has a limit. */
export const maxDuration = 600;
