import { createResumableHandler } from "@keeplight/server/resumable";
import { options } from "./handle-upload.ts";

/** The endpoint of resumable uploads that the examples for Node serve at `/api/uploads`, and below it. */
export const handleResumable = createResumableHandler({
  ...options,
  folder: process.env["UPLOAD_FOLDER"] ?? "uploads",
  limits: { maxBytes: 5_000_000_000 },
});

/** Whether a request is for it. */
export const isResumable = (request: Request) => /^\/api\/uploads(?:\/|$)/.test(new URL(request.url).pathname);

// What was complete when the server ended.
await handleResumable.resume();
