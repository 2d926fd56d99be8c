import { timingSafeEqual } from "node:crypto";
import { createUploadHandler } from "@keeplight/server";

/** Stands for the sessions of your app: only requests with SESSION_TOKEN may upload. */
function isSignedIn(request: Request): boolean {
  const expected = Buffer.from(`Bearer ${process.env["SESSION_TOKEN"] ?? ""}`);
  const got = Buffer.from(request.headers.get("authorization") ?? "");
  return process.env["SESSION_TOKEN"] !== undefined && got.length === expected.length && timingSafeEqual(got, expected);
}

/** What all handlers here have in common. */
export const options = {
  apiKey: process.env["KEEPLIGHT_API_KEY"] ?? "",
  authorize: isSignedIn,
  // For a devnet; without it, the public network.
  endpoints: JSON.parse(process.env["KEEPLIGHT_ENDPOINTS"] ?? "{}"),
  onError: (error: unknown) => console.error(String(error)),
};

/** The upload endpoint that every example here serves at `/api/upload`. */
export const handleUpload = createUploadHandler({ ...options, limits: { maxBytes: 100_000_000, maxFiles: 20 } });
